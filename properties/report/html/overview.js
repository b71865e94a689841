// The head of the page: how the run ended, counts by status, counts by kernel and property.

// How a run ended, as one of our statuses and a word.
function conclusion_of(run) {
  if (run.kind === "figures") return {status: "KNOWN", word: "Measured", why: ""};
  if (run.kind === "perf") return {status: "KNOWN", word: "Timed", why: ""};
  if (run.summary === null) return {status: "MISTRUSTED", word: "Did not end", why: run.torn ? "The run was killed while it wrote its last line." : "There is no summary: the run was killed, or still goes on."};
  const code = number_of(run.summary.exit_code);
  if (code === 0) return {status: "PASSED", word: "Passed", why: run.summary.why ?? ""};
  if (code === 4) return {status: "MISTRUSTED", word: "Too little to tell", why: run.summary.why ?? ""};
  return {status: "FAILED", word: "Failed", why: run.summary.why ?? ""};
}

const WORST_FIRST = ["Failed", "Did not end", "Too little to tell", "Passed", "Measured", "Timed"];

function sentence(text) {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return start === "" || /[.!?]$/.test(start) ? start : `${start}.`;
}

function banner() {
  const conclusions = DATA.runs.map(conclusion_of);
  const worst = [...conclusions].sort((a, b) => WORST_FIRST.indexOf(a.word) - WORST_FIRST.indexOf(b.word))[0];
  const alone = DATA.runs.length === 1;
  const run = DATA.runs[0], header = run.header;
  const kernels = [...new Set(DATA.runs.flatMap(({header}) => (header.kernels ?? []).map(({name}) => name)))];
  const parts = [kernels.length > 0 ? `${kernels.length === 1 ? "kernel" : "kernels"} ${kernels.join(", ")}` : "", alone && run.summary ? `${counted(number_of(run.summary.cases_executed), "case")} of ${count_text(number_of(run.summary.cases_asked))} ran` : "",
    VERDICT_COUNT > 0 ? counted(VERDICT_COUNT, "verdict") : "", alone && run.summary?.seconds ? seconds_text(run.summary.seconds) : "", header.started ?? ""];
  const number_with = (word) => conclusions.filter((each) => each.word === word).length;
  return el("div", {class: "card banner", "data-status": worst.status},
    el("h1", {id: "overview-title", text: alone ? worst.word : `${worst.word}: ${number_with(worst.word)} of ${DATA.runs.length} runs`}),
    el("p", {class: "why", text: sentence(worst.why)}),
    el("p", {class: "facts", text: parts.filter((part) => part !== "").join(" · ")}));
}

function status_tiles() {
  const counts = status_counts(ALL_VERDICTS);
  const tiles = counts.map(([status, count]) => el("li", {}, el("button", {
    type: "button", class: "tile", "data-status": status, "aria-label": `${counted(count, "verdict")} ${status}: show them`, onclick: () => show_verdicts({status})},
    el("span", {class: "count", text: count_text(count)}), el("span", {class: "name", text: status}))));
  const bar = el("div", {class: "share", "aria-hidden": "true"}, counts.map(([status, count]) => {
    const part = el("span", {"data-status": status});
    part.style.flexGrow = count;
    return part;
  }));
  return [el("ul", {class: "tiles"}, tiles), bar];
}

function property_table() {
  const rows = [...grouped(ALL_VERDICTS, (i) => `${VERDICTS.kernel[i]} ${VERDICTS.property[i]}`).values()].map((indices) => ({
    kernel: text_at(VERDICTS.kernel[indices[0]]),
    property: text_at(VERDICTS.property[indices[0]]),
    counts: new Map(status_counts(indices)),
    used: most_used(indices),
    seconds: indices.reduce((sum, i) => sum + (number_of(VERDICTS.seconds[i]) || 0), 0),
  }));
  const present = status_counts(ALL_VERDICTS).map(([status]) => status);
  const amount = (status, row) => {
    const count = row.counts.get(status) ?? 0;
    return el("span", {class: count === 0 ? "muted" : "amount", "data-status": status, text: count === 0 ? "–" : count_text(count)});
  };
  const columns = [
    {label: "Kernel", value: (row) => row.kernel},
    {label: "Property", head: true, value: (row) => row.property, show: (row) => el("button", {type: "button", class: "plain", text: row.property, "aria-label": `${row.property} of ${row.kernel}: show these verdicts`, onclick: () => show_verdicts(row)})},
    ...present.map((status) => ({label: status, number: true, value: (row) => row.counts.get(status) ?? 0, show: (row) => amount(status, row)})),
    {label: "Bound used", number: true, value: (row) => row.used, show: (row) => (row.used === 0 ? "" : share_text(row.used))},
    {label: "Time", number: true, later: true, value: (row) => row.seconds, show: (row) => seconds_text(row.seconds)},
  ];
  return new DataTable(columns, rows, {caption: "Verdicts by kernel and property. Bound used: largest share among those that passed"}).element;
}

// Of the verdicts that passed.
function most_used(indices) {
  let most = 0;
  for (const i of indices) if (text_at(VERDICTS.status[i]) === "PASSED") most = Math.max(most, number_of(VERDICTS.used[i]) || 0);
  return most;
}

function run_table() {
  const columns = [
    {label: "File", head: true, value: (run) => run.file},
    {label: "Result", value: (run) => WORST_FIRST.indexOf(conclusion_of(run).word), show: (run) => { const {status, word} = conclusion_of(run); return el("span", {class: "badge", "data-status": status, text: word}); }},
    {label: "Why", value: (run) => conclusion_of(run).why},
    {label: "Records", number: true, value: (run) => run.records},
    {label: "Started", later: true, value: (run) => run.header.started ?? ""},
  ];
  return new DataTable(columns, DATA.runs, {caption: "Runs in this report"}).element;
}

function overview_section(section) {
  document.title = `${conclusion_of(DATA.runs[0]).word} – xqacheck report`;
  section.append(banner());
  if (DATA.runs.length > 1) section.append(run_table());
  if (VERDICT_COUNT > 0) section.append(...status_tiles(), property_table());
}
