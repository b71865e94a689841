// Error against length, from the verdicts of properties that judge by the error bound.

// Lengths are put together by powers of two: as fine as a ladder of lengths usually is.
function octave_of(tokens) {
  return 2 ** Math.round(Math.log2(tokens));
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

// "flash32, bf16 q, e4m3 KV, e4m3 out": what shares an error model. The output has the format of q unless it is named.
function series_name(i) {
  const at = VERDICTS.case[i], q = text_at(DATA.cases.q[at]), out = text_at(DATA.cases.out[at]);
  return `${text_at(VERDICTS.kernel[i])}, ${q} q, ${text_at(DATA.cases.kv[at])} KV${out === q ? "" : `, ${out} out`}`;
}

function tokens_of(i) {
  return DATA.cases.length[VERDICTS.case[i]];
}

function by_name(indices) {
  return [...grouped(indices, series_name).entries()].sort(([a], [b]) => (a < b ? -1 : 1));
}

// [{x, count, y: median, low, high}] of a figure of each verdict, by length.
function by_length(indices, value_of) {
  return [...grouped(indices, (i) => octave_of(tokens_of(i))).entries()].sort(([a], [b]) => a - b).map(([x, group]) => {
    const values = group.map(value_of).sort((a, b) => a - b);
    return {x, count: group.length, y: quantile(values, 0.5), low: values[0], high: values.at(-1)};
  });
}

const CROSSES = 500;  // more would be one red cloud

function crosses(indices, value_of) {
  return indices.slice(0, CROSSES).map((i) => ({x: tokens_of(i), y: value_of(i), name: `${series_name(i)}: ${short_number(value_of(i))}`}));
}

function is_failing(i) {
  return FAILING.has(text_at(VERDICTS.status[i]));
}

function length_table(series, text_of_value) {
  return {rows: series.flatMap(({name, points}) => points.map((p) => ({name, ...p}))), columns: [
    {label: "Series", head: true, value: (row) => row.name},
    {label: "Tokens, about", number: true, value: (row) => row.x, show: (row) => count_text(row.x)},
    {label: "Verdicts", number: true, value: (row) => row.count},
    {label: "Least", number: true, value: (row) => row.low, show: (row) => text_of_value(row.low)},
    {label: "Median", number: true, value: (row) => row.y, show: (row) => text_of_value(row.y)},
    {label: "Most", number: true, value: (row) => row.high, show: (row) => text_of_value(row.high)}]};
}

// Of all kernels and formats: how near to the worst-case bound.
function bound_figure(indices) {
  const used = (i) => number_of(VERDICTS.used[i]);
  const series = by_name(indices.filter((i) => !is_failing(i))).map(([name, group], tone) => ({name, tone, points: by_length(group, used)}));
  const bad = indices.filter(is_failing);
  const most = series.flatMap(({name, points}) => points.map((p) => ({name, ...p}))).sort((a, b) => b.high - a.high)[0];
  return figure_of({
    title: "Share of the error bound used",
    says: `Median and range of the largest share in each verdict, by length.${most ? ` The most that a passing verdict used: ${share_text(most.high)} (${most.name}, about ${count_text(most.x)} tokens).` : ""}${bad.length > 0 ? ` ${counted(bad.length, "failing verdict")}: crosses.` : ""}`,
    draw: length_chart({series, bad: crosses(bad, used), limits: [{name: "worst-case bound", y: 1}], y_name: "largest error / bound, output rounding left out"}),
    legend: [series.map(({name, tone}) => legend_line(tone, name)), bad.length > 0 ? [legend_cross("failed")] : []].flat(),
    table: length_table(series, share_text),
  });
}

// Of one kernel and its formats: the error itself, beside what its arithmetic makes likely and possible.
function error_figure(name, group) {
  const relative = (column) => (i) => number_of(VERDICTS[column][i]) / number_of(VERDICTS.signal[i]);
  const fine = group.filter((i) => !is_failing(i)), bad = group.filter(is_failing);
  const series = [{name, tone: 0, points: by_length(fine, relative("rms"))}];
  const sigma = by_length(group, relative("sigma")), bound = by_length(group, relative("limit"));
  const band = (times) => sigma.map(({x, y}) => ({x, low: 0, high: y * times}));
  return figure_of({
    title: `Error of ${name}`,
    says: "Root mean square of the error as a share of that of the output, by length: median and range. The darker band is one standard deviation of a kernel that rounds as declared, the lighter one three.",
    draw: length_chart({series, bad: crosses(bad, relative("rms")), bands: [{tone: 0, points: band(3)}, {tone: 0, inner: true, points: band(1)}],
      limits: [{name: "bound", points: bound}], y_name: "rms error / rms output"}),
    legend: [legend_line(0, "measured"), legend_box(0, "up to 1 σ", "band inner"), legend_box(0, "up to 3 σ", "band"), legend_path("limit", "worst-case bound"), bad.length > 0 ? legend_cross("failed") : null].filter((entry) => entry),
    table: {rows: sigma.map((s, k) => ({...s, bound: bound[k].y, measured: series[0].points.find((p) => p.x === s.x)})), columns: [
      {label: "Tokens, about", number: true, value: (row) => row.x, show: (row) => count_text(row.x)}, {label: "Verdicts", number: true, value: (row) => row.count},
      {label: "Measured, median", number: true, value: (row) => row.measured?.y ?? NaN, show: (row) => (row.measured ? short_number(row.measured.y) : "")},
      {label: "1 σ", number: true, value: (row) => row.y, show: (row) => short_number(row.y)}, {label: "Bound", number: true, value: (row) => row.bound, show: (row) => short_number(row.bound)}]},
  });
}

function error_figures(indices) {
  const known = by_name(indices.filter((i) => number_of(VERDICTS.signal[i]) > 0 && Number.isFinite(number_of(VERDICTS.rms[i]))));
  if (known.length === 0) return null;
  const place = el("div", {});
  const select = el("select", {}, known.map(([name], k) => el("option", {value: k, text: name})));
  const show = () => place.replaceChildren(error_figure(...known[Number(select.value)]));
  select.addEventListener("change", show);
  show();
  return el("div", {}, known.length > 1 ? el("div", {class: "filters"}, el("label", {}, "Kernel and formats", select)) : null, place);
}

function error_section(section) {
  const judged = ALL_VERDICTS.filter((i) => number_of(VERDICTS.used[i]) > 0 && tokens_of(i) > 0);
  if (judged.length === 0) return;
  section.append(el("h2", {id: "error-title", text: "Error and length"}), bound_figure(judged));
  const figures = error_figures(judged);
  if (figures !== null) section.append(figures);
  section.hidden = false;
}
