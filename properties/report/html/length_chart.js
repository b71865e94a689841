// Something against the length of the sequence, both on logarithmic axes.

// series: [{name, tone, points: [{x, y, low, high}], line}]; low to high is drawn as a whisker.
// bands: [{tone, inner, points: [{x, low, high}]}]; limits: [{name, points: [{x, y}]} or {name, y}];
// bad: [{x, y}], drawn as crosses. Values of 0 or less sit on the lower edge, infinite ones on the upper edge.
function length_chart({series, bands = [], limits = [], bad = [], x_name = "tokens of the longest request", y_name}) {
  const xs = [], ys = [];
  const take = (x, ...values) => {
    xs.push(x);
    for (const value of values) if (Number.isFinite(value) && value > 0) ys.push(value);
  };
  for (const each of series) for (const p of each.points) take(p.x, p.y, p.low, p.high);
  for (const band of bands) for (const p of band.points) take(p.x, p.low, p.high);
  for (const limit of limits) limit.points ? limit.points.forEach((p) => take(p.x, p.y)) : ys.push(limit.y);
  for (const p of bad) take(p.x, p.y);
  const reach = (values, base) => [base ** Math.floor(Math.log(Math.min(...values)) / Math.log(base) + 1e-9), base ** Math.ceil(Math.log(Math.max(...values)) / Math.log(base) - 1e-9)];
  const known = xs.filter((x) => x > 0);
  let [x_low, x_high] = reach(known.length > 0 ? known : [1], 2);
  let [y_low, y_high] = reach(ys.length > 0 ? ys : [1], 10);
  if (x_low === x_high) x_high *= 2;
  if (y_low === y_high) y_high *= 10;
  // Errors of exact cases are 0 or nearly so; twelve decades are enough to see that.
  y_low = Math.max(y_low, y_high * 1e-12);
  return (width) => draw_length_chart({width, series, bands, limits, bad, x_name, y_name, range: {x_low, x_high, y_low, y_high}});
}

function draw_length_chart({width, series, bands, limits, bad, x_name, y_name, range}) {
  const height = Math.round(Math.min(400, Math.max(260, width * 0.5)));
  const frame = {left: 52, right: width - 14, top: 30, bottom: height - 44};
  const x = new LogScale(range.x_low, range.x_high, frame.left + 10, frame.right - 10);
  const y = new LogScale(range.y_low, range.y_high, frame.bottom, frame.top);
  const path = (points, key) => points.map((p, i) => `${i === 0 ? "M" : "L"}${x.at(p.x).toFixed(1)} ${y.at(p[key]).toFixed(1)}`).join("");
  const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`}, log_frame(frame, x, y, x_name, y_name));
  for (const band of bands) {
    if (band.points.length === 0) continue;
    const back = path([...band.points].reverse(), "low").replace("M", "L");
    drawing.append(svg("path", {class: `band tone-${band.tone % 8}${band.inner ? " inner" : ""}`, d: `${path(band.points, "high")}${back}Z`}));
  }
  for (const limit of limits) {
    const points = limit.points ?? [{x: range.x_low, y: limit.y}, {x: range.x_high, y: limit.y}];
    drawing.append(svg("path", {class: "limit", d: path(points, "y")}));
    const last = points.at(-1);
    drawing.append(svg("text", {class: "limit-name", x: frame.right - 2, y: y.at(last.y) - 6, "text-anchor": "end", text: limit.name}));
  }
  for (const each of series) {
    // Side by side, or marks of the same length would hide each other.
    const aside = (each.tone - (series.length - 1) / 2) * Math.min(4, 24 / series.length);
    const group = svg("g", {class: `tone-${each.tone % 8}`, transform: `translate(${aside.toFixed(1)} 0)`});
    if (each.line !== false) group.append(svg("path", {class: "line", d: path(each.points, "y")}));
    for (const p of each.points) {
      if (p.low !== undefined) group.append(svg("path", {class: "whisker", d: `M${x.at(p.x)} ${y.at(p.low)}V${y.at(p.high)}`}));
      const dot = mark(each.tone, x.at(p.x), y.at(p.y));
      dot.append(svg("title", {text: `${each.name}, ${count_text(p.x)} tokens: ${short_number(p.y)}`}));
      group.append(dot);
    }
    drawing.append(group);
  }
  for (const p of bad) {
    const at = [x.at(p.x), y.at(p.y)];
    drawing.append(svg("path", {class: "bad", d: `M${at[0] - 4} ${at[1] - 4}l8 8m0 -8l-8 8`}, svg("title", {text: p.name ?? `${short_number(p.y)}`})));
  }
  return drawing;
}
