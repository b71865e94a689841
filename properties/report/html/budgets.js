// Accuracy budgets: what was measured and what is allowed, by configuration and by length.

const METRIC_NAMES = {
  rel_l2: "relative L2 error", nmse: "squared error / squared output", cosine: "1 − cosine to the reference", bias: "mean error / rms output",
  ulp_p999: "99.9 % of errors below, ulps", ulp_max: "largest error, ulps", draft_flips: "draft verdicts that flip", draft_shift: "loss of draft acceptance",
  stored_l2: "relative L2 error, cache as stored", declared_l2: "relative L2 error of the arithmetic", sigma_p999: "99.9 % of errors below, σ",
  sigma_max: "largest error, σ", score_gain: "error of the softmax scale", output_gain: "error of the output scale", first_token: "oldest token missing",
  last_token: "newest token missing", loudest_token: "most suspicious token, σ", logit_rms: "rms error of the scores", logit_max: "largest error of a score",
  weights_tv: "total variation of the weights", top1_flips: "rows whose heaviest token changes",
};

function metric_name(key) {
  return Object.hasOwn(METRIC_NAMES, key) ? METRIC_NAMES[key] : key;
}

function is_record(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function metrics_of(record) {
  return Object.entries(record.metrics ?? {}).filter(([, metric]) => is_record(metric));
}

function metric_of(record, key) {
  return metrics_of(record).find(([name]) => name === key)?.[1];
}

function tokens_in(record) {
  return typeof record.tokens === "number" && record.tokens > 0 ? record.tokens : 0;
}

// The configuration without its length: what a ladder of lengths has in common.
function ladder_of(record) {
  const line = record.run.replace(/^xqa\/\d+ /, "").split(" @ ");
  const words = line[0].split(" ").filter((word) => !/^(len|cap|seed|geo)=/.test(word));
  const plan = /\bplan=\S+/.exec(line[1] ?? "");
  return [record.kernel, ...words, ...(plan ? [plan[0]] : [])].join(" ");
}

function interval_text(metric) {
  return metric.low === undefined ? "" : `${short_number(metric.low)} to ${short_number(metric.high)}`;
}

function metric_table(record) {
  const number = (label, key) => ({label, number: true, value: ([, metric]) => number_of(metric[key] ?? NaN), show: ([, metric]) => (metric[key] === undefined ? "" : short_number(metric[key]))});
  const checked = metrics_of(record).some(([, metric]) => metric.answer !== undefined);
  return new DataTable([
    {label: "Metric", head: true, value: ([key]) => key, show: ([key]) => metric_name(key)}, number("Mean", "mean"),
    {label: "Interval", number: true, value: ([, metric]) => number_of(metric.low ?? NaN), show: ([, metric]) => interval_text(metric)}, number("Spread", "spread"),
    ...(checked ? [number("In the budget", "then"), number("Change", "change"), number("Limit", "limit"), {label: "Answer", value: ([, metric]) => String(metric.answer ?? "").replaceAll("_", " ")}] : []),
  ], metrics_of(record), {caption: "Metrics, with the interval of the mean and the standard deviation of one sample"}).element;
}

function budget_detail(record) {
  return el("div", {}, command_line(record.run, "the configuration"),
    record.warnings?.length > 0 ? el("pre", {class: "notes", role: "note", "aria-label": "Warnings", text: record.warnings.join("\n")}) : null,
    metric_table(record),
    facts([["Samples", record.samples === undefined ? "" : plain(record.samples)], ["First seed", record.first_seed === undefined ? "" : plain(record.first_seed)],
      ["Same output", record.identical === undefined ? "" : `${plain(record.identical)} samples`], ["Cosine of the errors", record.cosine === undefined ? "" : short_number(record.cosine)],
      ["Profile", record.profile_changed === true ? "changed" : ""], ["Ran", plain(record.device ?? "")], ["Took", record.seconds === undefined ? "" : seconds_text(record.seconds)]], "facts in-line"));
}

function budget_table(records) {
  const checked = records.some((record) => record.status !== undefined);
  const metric = (label, key) => ({label, number: true, later: key !== "rel_l2", value: (record) => number_of(metric_of(record, key)?.mean ?? NaN),
    show: (record) => { const m = metric_of(record, key); return m === undefined ? "" : short_number(m.mean); }});
  return new DataTable([
    ...(checked ? [{label: "Status", value: (record) => STATUSES.indexOf(record.status), show: (record) => (record.status ? badge(record.status) : "")}] : []),
    {label: "Kernel", later: true, value: (record) => record.kernel},
    {label: "Configuration", head: true, value: (record) => record.run, show: (record) => el("span", {class: "case", text: record.run.replace(/^xqa\/\d+ /, "").split(" @ ")[0]})},
    {label: "Tokens", number: true, later: true, value: tokens_in, show: (record) => (tokens_in(record) ? count_text(record.tokens) : "")},
    metric("Rel. L2", "rel_l2"),
    ...(records.some((record) => metric_of(record, "rel_l2")?.limit !== undefined) ? [{label: "Limit", number: true, value: (record) => number_of(metric_of(record, "rel_l2")?.limit ?? NaN), show: (record) => { const limit = metric_of(record, "rel_l2")?.limit; return limit === undefined ? "" : short_number(limit); }}] : []),
    metric("Arithmetic alone", "declared_l2"), metric("99.9 %, σ", "sigma_p999"),
  ], records, {caption: "Measured configurations; details have every metric", page_size: records.length > 50 ? 50 : Infinity, detail: budget_detail, detail_name: (record) => record.run}).element;
}

// One metric against length: measured means with their intervals, one sample's spread as bands, the limit of the budget.
function budget_figure(records, key, ladders) {
  const series = ladders.map((name, tone) => ({name, tone, points: records.filter((record) => ladder_of(record) === name && metric_of(record, key))
    .map((record) => ({x: tokens_in(record), ...metric_of(record, key)})).filter((m) => m.x > 0 && number_of(m.mean) > 0).sort((a, b) => a.x - b.x)
    .map((m) => ({x: m.x, y: number_of(m.mean), low: number_of(m.low ?? m.mean), high: number_of(m.high ?? m.mean), spread: number_of(m.spread ?? 0), limit: m.limit === undefined ? NaN : number_of(m.limit)}))}))
    .filter(({points}) => points.length > 0);
  if (series.length === 0) return el("p", {class: "muted", text: "Nothing above zero was measured of this metric."});
  const alone = series.length === 1, few = series.length <= 4;  // more bands would hide each other
  const band = ({tone, points}, times) => ({tone, inner: times === 1, points: points.map((p) => ({x: p.x, low: Math.max(0, p.y - times * p.spread), high: p.y + times * p.spread}))});
  const limits = series.map(({points}) => points.filter((p) => Number.isFinite(p.limit)).map((p) => ({x: p.x, y: p.limit}))).filter((points) => points.length > 0).map((points) => ({name: alone ? "budget" : "", points}));
  const rows = series.flatMap(({name, points}) => points.map((p) => ({name, ...p})));
  return figure_of({
    title: `${metric_name(key).charAt(0).toUpperCase()}${metric_name(key).slice(1)} by length`,
    says: `Means over seeds with their intervals${alone ? "; the bands are one and three standard deviations of a single sample" : few ? "; the bands are one standard deviation of a single sample" : ""}${limits.length > 0 ? "; dashed: the budget" : ""}.`,
    draw: length_chart({series, limits, bands: [...(alone ? [band(series[0], 3)] : []), ...(few ? series.map((each) => band(each, 1)) : [])], x_name: "tokens", y_name: metric_name(key)}),
    legend: [...series.map(({name, tone}) => legend_line(tone, name)), ...(alone ? [legend_box(0, "± 1 σ", "band inner"), legend_box(0, "± 3 σ", "band")] : []), ...(limits.length > 0 ? [legend_path("limit", "budget")] : [])],
    table: {rows, columns: [{label: "Configuration", head: true, value: (row) => row.name}, {label: "Tokens", number: true, value: (row) => row.x, show: (row) => count_text(row.x)},
      {label: "Mean", number: true, value: (row) => row.y, show: (row) => short_number(row.y)}, {label: "Low", number: true, value: (row) => row.low, show: (row) => short_number(row.low)},
      {label: "High", number: true, value: (row) => row.high, show: (row) => short_number(row.high)}, {label: "Limit", number: true, value: (row) => row.limit, show: (row) => (Number.isFinite(row.limit) ? short_number(row.limit) : "")}]},
  });
}

function budget_figures(records) {
  const keys = [...new Set(records.flatMap((record) => metrics_of(record).filter(([, metric]) => metric.kind !== "balance" && number_of(metric.mean) > 0).map(([key]) => key)))];
  const ladders = [...new Set(records.filter(tokens_in).map(ladder_of))];
  if (keys.length === 0 || ladders.length === 0) return null;
  const place = el("div", {});
  const metric = el("select", {}, keys.map((key) => el("option", {value: key, text: metric_name(key)})));
  const ladder = el("select", {}, el("option", {value: "", text: "all"}), ladders.map((name) => el("option", {value: name, text: name})));
  const show = () => place.replaceChildren(budget_figure(records, metric.value, ladder.value === "" ? ladders : [ladder.value]));
  for (const select of [metric, ladder]) select.addEventListener("change", show);
  show();
  return el("div", {}, el("div", {class: "filters"}, el("label", {}, "Metric", metric), ladders.length > 1 ? el("label", {}, "Configuration", ladder) : null), place);
}

function budgets_section(section) {
  if (DATA.budget.length + DATA.causes.length === 0) return;
  add(section, el("h2", {id: "budgets-title", text: "Accuracy budgets"}));
  if (DATA.budget.length > 0) add(section, budget_table(DATA.budget), budget_figures(DATA.budget));
  add(section, causes_figures());
  section.hidden = false;
}
