// The error by cause: which rounding step of the arithmetic has which share.

const BARS_AT_ONCE = 12;  // a screen of them

const STEP_NAMES = {
  q: "q rounded", k: "K quantised", v: "V quantised", qk: "score accumulation", score: "score rounding", ex2: "exponential", p: "P rounded", row_sum: "row sum",
  rescale: "rescaling", pv: "output accumulation", partial: "partial results", merge: "merge", output: "output rounding",
};

// The steps of a record, with names to read.
function steps_of(record) {
  return (Array.isArray(record.steps) ? record.steps : []).filter((step) => is_record(step) && typeof step.step === "string")
    .map((step) => ({...step, step: Object.hasOwn(STEP_NAMES, step.step) ? STEP_NAMES[step.step] : step.step}));
}

function short_configuration(record) {
  return `${record.kernel}${tokens_in(record) ? `, ${count_text(record.tokens)} tokens` : ""}: ${ladder_of(record).slice(record.kernel.length + 1)}`;
}

function causes_figure(records, names) {
  const total = (record) => number_of(record.total ?? steps_of(record).reduce((sum, step) => sum + number_of(step.share), 0)) || 1;
  const rows = records.map((record) => ({
    name: short_configuration(record), note: `total ${short_number(total(record))}`,
    parts: steps_of(record).map((step) => ({name: step.step, tone: names.indexOf(step.step), value: number_of(step.share) / total(record)})).filter(({value}) => Number.isFinite(value)),
  }));
  const table = records.flatMap((record) => steps_of(record).map((step) => ({configuration: short_configuration(record), total: total(record), ...step})));
  const share = (label, key) => ({label, number: true, value: (row) => number_of(row[key] ?? NaN) / row.total, show: (row) => (row[key] === undefined ? "" : share_text(number_of(row[key]) / row.total))});
  const largest = [...table].sort((a, b) => number_of(b.share) / b.total - number_of(a.share) / a.total)[0];
  return figure_of({
    title: "Error by cause",
    says: `Shares of the squared error, by the rounding that causes it. The largest: ${largest.step}, ${share_text(number_of(largest.share) / largest.total)} of the error of ${largest.configuration}.`,
    draw: stacked_bars(rows),
    legend: names.map((name, tone) => legend_box(tone, name, part_style(tone))),
    table: {rows: table, columns: [{label: "Configuration", head: true, value: (row) => row.configuration}, {label: "Step", value: (row) => row.step},
      share("Share", "share"), share("Low", "low"), share("High", "high"), share("Only this step rounds", "alone"), share("Only this step exact", "removed")]},
  });
}

function what_if_table(records) {
  const rows = records.flatMap((record) => (Array.isArray(record.what_if) ? record.what_if : []).filter(is_record).map((other) => ({configuration: short_configuration(record), total: number_of(record.total), ...other})));
  if (rows.length === 0) return null;
  return new DataTable([
    {label: "Configuration", head: true, value: (row) => row.configuration}, {label: "What if", value: (row) => plain(row.name ?? "")},
    {label: "Squared error", number: true, value: (row) => number_of(row.nmse ?? NaN), show: (row) => short_number(row.nmse)},
    {label: "Of the error as it is", number: true, value: (row) => number_of(row.nmse ?? NaN) / row.total, show: (row) => share_text(number_of(row.nmse ?? NaN) / row.total)},
    {label: "Relative L2", number: true, value: (row) => number_of(row.change ?? NaN), show: (row) => (row.change === undefined ? "" : `${number_of(row.change) > 0 ? "+" : ""}${short_number(100 * number_of(row.change))} %`)},
    {label: "Interval", number: true, later: true, value: (row) => number_of(row.low ?? NaN), show: (row) => interval_text(row)}],
  rows, {caption: "What if: the same inputs with another arithmetic", page_size: rows.length > 50 ? 50 : Infinity}).element;
}

function causes_figures() {
  const records = DATA.causes.filter((record) => steps_of(record).length > 0);
  if (records.length === 0) return null;
  const names = [...new Set(records.flatMap((record) => steps_of(record).map(({step}) => step)))];
  const pages = [];
  for (let from = 0; from < records.length; from += BARS_AT_ONCE) pages.push(records.slice(from, from + BARS_AT_ONCE));
  const place = el("div", {});
  const select = el("select", {}, pages.map((page, k) => el("option", {value: k, text: `${k * BARS_AT_ONCE + 1} to ${k * BARS_AT_ONCE + page.length}`})));
  const show = () => place.replaceChildren(causes_figure(pages[Number(select.value)], names));
  select.addEventListener("change", show);
  show();
  return [pages.length > 1 ? el("div", {class: "filters"}, el("label", {}, "Configurations", select)) : null, place, what_if_table(records)];
}
