// The results: what report_data.hpp writes, and ways to look at it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const VERDICTS = DATA.verdicts;
const DETAILS = new Map(VERDICTS.detail);
const VERDICT_COUNT = VERDICTS.status.length;
const STATUSES = ["FAILED", "CRASHED", "HUNG", "MISTRUSTED", "KNOWN", "UNSUPPORTED", "PASSED"];  // what needs a look comes first
const FAILING = new Set(["FAILED", "CRASHED", "HUNG"]);

function text_at(index) {
  return DATA.text[index] ?? "";
}

function case_line_of(i) {
  return text_at(DATA.cases.line[VERDICTS.case[i]]);
}

function run_line_of(i) {
  const how = text_at(VERDICTS.how[i]);
  return how === "" ? case_line_of(i) : `${case_line_of(i)} @ ${how}`;
}

// A verdict as its line in the result file had it.
function verdict_at(i) {
  return {
    in_run: VERDICTS.run[i],
    number: VERDICTS.number[i],
    kernel: text_at(VERDICTS.kernel[i]),
    property: text_at(VERDICTS.property[i]),
    status: text_at(VERDICTS.status[i]),
    kind: text_at(VERDICTS.kind[i]),
    message: text_at(VERDICTS.message[i]),
    run: run_line_of(i),
    elements: VERDICTS.elements[i],
    bad_elements: VERDICTS.bad[i],
    bound_used: VERDICTS.used[i],
    out_xxh64: text_at(VERDICTS.hash[i]),
    seconds: VERDICTS.seconds[i],
    route: {splits: VERDICTS.splits[i], device: text_at(VERDICTS.device[i])},
    error: number_of(VERDICTS.signal[i]) > 0 ? {rms: VERDICTS.rms[i], sigma: VERDICTS.sigma[i], limit: VERDICTS.limit[i], signal: VERDICTS.signal[i], largest: VERDICTS.largest[i]} : null,
    ...DETAILS.get(i),
  };
}

// As one argument of a POSIX shell.
function shell_quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Verdicts about two builds or about many seeds are no single run that could be replayed: their line is all there is.
const NOT_REPLAYED = new Set(["diff", "budget"]);

function repro_command({run, property}) {
  return NOT_REPLAYED.has(property) ? run : `xqacheck repro ${shell_quoted(run)}`;
}

// Verdicts by a key, in the order of their first one.
function grouped(indices, key_of) {
  const groups = new Map();
  for (const i of indices) {
    const key = key_of(i);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(i);
  }
  return groups;
}

const ALL_VERDICTS = Array.from({length: VERDICT_COUNT}, (_, i) => i);

// Statuses that occur, with their counts, worst first.
function status_counts(indices) {
  const counts = new Map(STATUSES.map((status) => [status, 0]));
  for (const i of indices) {
    const status = text_at(VERDICTS.status[i]);
    counts.set(status, counts.get(status) + 1);
  }
  return [...counts].filter(([, count]) => count > 0);
}
