// Times of kernels, as a share of the bandwidth of a copy that was measured in the same run.

function microseconds_text(value) {
  return value >= 1000 ? `${short_number(value / 1000)} ms` : `${short_number(value)} µs`;
}

function bandwidth_text(bytes) {
  return bytes >= 1e12 ? `${short_number(bytes / 1e12)} TB/s` : `${short_number(bytes / 1e9)} GB/s`;
}

function timed_kernels(one) {
  return one.kernels.filter((kernel) => kernel.refused === undefined);
}

// A bar a kernel: its length is the share of the copy's bandwidth; the whisker goes from the first to the third quartile.
function timing_bars(kernels) {
  const most = Math.max(1, ...kernels.map((kernel) => kernel.share_of_copy));
  const line = 18, bar = 14, gap = 14;
  return (width) => {
    const height = kernels.length * (line + bar + gap);
    const at = (share) => (share / most) * (width - 2);
    const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`});
    kernels.forEach((kernel, index) => {
      const top = index * (line + bar + gap), {q1, median, q3} = kernel.microseconds;
      const figures = `${microseconds_text(median)} · ${share_text(kernel.share_of_copy)} of copy`;
      const middle = top + line + bar / 2;
      drawing.append(svg("text", {class: "strong", x: 0, y: top + 13, text: fitting(kernel.kernel, width - LETTER * figures.length - 12)}),
        svg("text", {class: "value", x: width, y: top + 13, "text-anchor": "end", text: figures}),
        svg("rect", {class: "bar-back", x: 0, y: top + line, width: at(1), height: bar, rx: 3}),
        svg("rect", {class: `bar tone-${index % 8}`, x: 0, y: top + line, width: Math.max(1, at(kernel.share_of_copy)), height: bar, rx: 3}, svg("title", {text: `${kernel.kernel}: ${figures}`})),
        svg("path", {class: "copy-speed", d: `M${at(1)} ${top + line - 2}v${bar + 4}`}),
        svg("path", {class: "quartiles", d: `M${at((kernel.share_of_copy * median) / q3)} ${middle}H${at((kernel.share_of_copy * median) / q1)}`}));
    });
    return drawing;
  };
}

function timing_figure(one) {
  const timed = timed_kernels(one), refused = one.kernels.filter((kernel) => kernel.refused !== undefined);
  const best = [...timed].sort((a, b) => b.share_of_copy - a.share_of_copy)[0];
  const says = [best ? `Fastest: ${best.kernel}, ${microseconds_text(best.microseconds.median)} a launch, ${share_text(best.share_of_copy)} of the bandwidth of a copy.` : "No kernel was timed.",
    one.beyond_cache === false ? "The data stay within the level 2 cache: times are too good." : "", ...refused.map((kernel) => `${kernel.kernel} refuses: ${sentence(kernel.refused)}`)].join(" ");
  return figure_of({
    title: one.case, says, draw: timing_bars(timed), legend: [legend_path("copy-speed", "a copy"), legend_path("quartiles", "first to third quartile")], table: {rows: timed, columns: [
      {label: "Kernel", head: true, value: (kernel) => kernel.kernel}, {label: "Splits", number: true, value: (kernel) => kernel.splits ?? 0},
      {label: "First quartile", number: true, value: (kernel) => kernel.microseconds.q1, show: (kernel) => microseconds_text(kernel.microseconds.q1)},
      {label: "Median", number: true, value: (kernel) => kernel.microseconds.median, show: (kernel) => microseconds_text(kernel.microseconds.median)},
      {label: "Third quartile", number: true, value: (kernel) => kernel.microseconds.q3, show: (kernel) => microseconds_text(kernel.microseconds.q3)},
      {label: "Bandwidth", number: true, value: (kernel) => number_of(kernel.bytes_per_second ?? NaN), show: (kernel) => (kernel.bytes_per_second === undefined ? "" : bandwidth_text(number_of(kernel.bytes_per_second)))},
      {label: "Of copy", number: true, value: (kernel) => kernel.share_of_copy, show: (kernel) => share_text(kernel.share_of_copy)}]},
  });
}

function speed_section(section) {
  if (DATA.perf.length === 0) return;
  const copies = [...new Set(DATA.perf.map((one) => one.in_run))].map((run) => DATA.runs[run].header).filter((header) => is_record(header.copy) && header.copy.bytes_per_second)
    .map((header) => `${plain(header.device ?? "")}: a copy reads and writes ${bandwidth_text(number_of(header.copy.bytes_per_second))}`);
  add(section, el("h2", {id: "speed-title", text: "Speed"}),
    el("p", {class: "lead", text: `Median time of a launch, and the bytes that the call cannot avoid to move, against a copy measured in the same run. ${copies.map(sentence).join(" ")}`}),
    el("div", {class: "side"}, DATA.perf.map(timing_figure)));
  section.hidden = false;
}
