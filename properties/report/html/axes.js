// Logarithmic axes.

class LogScale {
  // From `low` to `high`, both above 0, onto pixels.
  constructor(low, high, from, to) {
    Object.assign(this, {low, high, from, to, span: Math.log(high / low) || 1});
  }
  at(value) {
    const clamped = Math.min(Math.max(value, this.low), this.high);
    return this.from + ((this.to - this.from) * Math.log(clamped / this.low)) / this.span;
  }
}

// Powers of ten within the range; where it has less than two, also 2 and 5 times them.
function ticks_of_ten(low, high, most) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(+`1e${power}`);
  if (ticks.length >= 2) return ticks;
  for (let power = first - 1; power <= last; ++power)
    for (const factor of [1, 2, 5]) if (+`${factor}e${power}` >= low && +`${factor}e${power}` <= high) ticks.push(+`${factor}e${power}`);
  return [...new Set(ticks)].sort((a, b) => a - b);
}

// Lengths are looked at in powers of two: 64, 256, 1k, 4k …
function ticks_of_two(low, high, most) {
  const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(2 ** power);
  return ticks;
}

function length_text(tokens) {
  if (tokens >= 1048576 && tokens % 1048576 === 0) return `${tokens / 1048576}M`;
  if (tokens >= 1024 && tokens % 1024 === 0) return `${tokens / 1024}k`;
  return String(tokens);
}

// Grid, tick texts and names of a frame {left, right, top, bottom} with scales x and y.
function log_frame(frame, x, y, x_name, y_name) {
  const parts = [];
  for (const tick of ticks_of_ten(y.low, y.high, Math.max(2, Math.floor((frame.bottom - frame.top) / 34)))) {
    parts.push(svg("path", {class: "grid", d: `M${frame.left} ${y.at(tick)}H${frame.right}`}),
      svg("text", {x: frame.left - 8, y: y.at(tick) + 4, "text-anchor": "end", text: tick_text(tick)}));
  }
  for (const tick of ticks_of_two(x.low, x.high, Math.max(2, Math.floor((frame.right - frame.left) / 52)))) {
    parts.push(svg("path", {class: "grid", d: `M${x.at(tick)} ${frame.top}V${frame.bottom}`}),
      svg("text", {x: x.at(tick), y: frame.bottom + 17, "text-anchor": "middle", text: length_text(tick)}));
  }
  parts.push(svg("path", {class: "axis", d: `M${frame.left} ${frame.bottom}H${frame.right}`}),
    svg("text", {x: (frame.left + frame.right) / 2, y: frame.bottom + 36, "text-anchor": "middle", text: x_name}),
    svg("text", {x: 0, y: frame.top - 12, text: y_name}));
  return parts;
}
