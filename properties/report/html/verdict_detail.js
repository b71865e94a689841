// Everything about one verdict: message, the command that reproduces it, bad elements, notes, maps.

function badge(status) {
  return el("span", {class: "badge", "data-status": status, text: status});
}

const EVIDENCE_COLUMNS = [
  {label: "request", key: "request"}, {label: "row", key: "row"}, {label: "head", key: "head"}, {label: "dim", key: "dim"},
  {label: "got", key: "got"}, {label: "want", key: "want"}, {label: "allowed error", key: "bound"}, {label: "ulps", key: "ulps"},
  {label: "token", key: "token"}, {label: "page", key: "page"}, {label: "tile", key: "tile"}, {label: "sub-sequence", key: "sub_sequence"},
];

function evidence_table(evidence) {
  const present = EVIDENCE_COLUMNS.filter(({key}) => evidence.some((bad) => bad[key] !== undefined));
  const columns = present.map(({label, key}) => ({label, number: true, sort: false, value: (bad) => (bad[key] === undefined ? "" : short_number(bad[key]))}));
  return new DataTable(columns, evidence, {caption: evidence.length === 1 ? "The bad element" : "Bad elements: the first, then the worst", narrow: true}).element;
}

// Names and values; empty values are left out. style: "facts" (one a line) or "facts in-line".
function facts(pairs, style = "facts") {
  return el("dl", {class: style}, pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => el("div", {}, el("dt", {text: name}), el("dd", {}, value))));
}

function error_facts(error) {
  const part = (name, value) => (value === undefined ? [] : [`${name} ${short_number(value)}`]);
  return [part("rms", error.rms), part("rms of a correct kernel", error.sigma), part("largest", error.largest), part("rms of the output", error.signal)].flat().join(", ");
}

function verdict_detail(verdict, what) {
  const maps = (verdict.maps ?? []).map(heat_figure).filter((map) => map !== null);
  return el("div", {},
    verdict.message ? el("p", {text: verdict.message}) : null,
    command_line(repro_command(verdict), `the command that reproduces ${what}`),
    verdict.evidence?.length > 0 ? evidence_table(verdict.evidence) : null,
    verdict.notes?.length > 0 ? el("pre", {class: "notes", role: "note", "aria-label": "Notes", text: verdict.notes.join("\n")}) : null,
    maps.length > 0 ? el("div", {class: "side"}, maps) : null,
    facts([
      ["Elements", verdict.elements > 0 ? `${count_text(verdict.elements)} judged, ${count_text(verdict.bad_elements)} bad` : ""],
      ["Bound used", number_of(verdict.bound_used) > 0 ? share_text(verdict.bound_used) : ""],
      ["Error", verdict.error ? error_facts(verdict.error) : ""],
      ["Ran", verdict.route?.device ? `on ${verdict.route.device}${verdict.route.splits > 0 ? `, ${counted(verdict.route.splits, "split")}` : ""}` : ""],
      ["Output hash", /^0*$/.test(verdict.out_xxh64 ?? "") ? "" : el("code", {text: verdict.out_xxh64})],
      ["Took", seconds_text(verdict.seconds)],
      ["Case number", verdict.number === undefined ? "" : count_text(verdict.number)],
    ], "facts in-line"));
}
