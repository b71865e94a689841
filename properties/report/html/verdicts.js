// The table of all verdicts.

let show_verdicts = null;  // set by verdicts_section: ({status, kernel, property}) => filters the table and goes to it

function case_text(i) {
  return el("span", {class: "case", text: case_line_of(i).replace(/^xqa\/\d+ /, "")});
}

const VERDICT_COLUMNS = [
  {label: "Status", value: (i) => STATUSES.indexOf(text_at(VERDICTS.status[i])), show: (i) => badge(text_at(VERDICTS.status[i]))},
  {label: "Kernel", later: true, value: (i) => text_at(VERDICTS.kernel[i])},
  {label: "Property", value: (i) => text_at(VERDICTS.property[i])},
  {label: "Case", value: case_line_of, show: case_text},
  {label: "Tokens", number: true, later: true, value: (i) => DATA.cases.length[VERDICTS.case[i]], show: (i) => { const n = DATA.cases.length[VERDICTS.case[i]]; return n < 0 ? "" : count_text(n); }},
  {label: "Bound used", number: true, later: true, value: (i) => number_of(VERDICTS.used[i]), show: (i) => (number_of(VERDICTS.used[i]) === 0 ? "" : share_text(VERDICTS.used[i]))},
  {label: "Time", number: true, later: true, value: (i) => number_of(VERDICTS.seconds[i]), show: (i) => seconds_text(VERDICTS.seconds[i])},
  {label: "Run line", sort: false, later: true, value: () => "", show: (i) => copy_button(run_line_of(i), `the run line of case ${VERDICTS.number[i]}, ${text_at(VERDICTS.property[i])}`)},
];

function verdicts_section(section) {
  if (VERDICT_COUNT === 0) return;
  const table = new DataTable(VERDICT_COLUMNS, ALL_VERDICTS, {
    caption: "Verdicts", page_size: 50,
    detail: (i) => verdict_detail(verdict_at(i), `case ${VERDICTS.number[i]}`),
    detail_name: (i) => `case ${VERDICTS.number[i]}, ${text_at(VERDICTS.property[i])}, ${text_at(VERDICTS.status[i])}`,
  });
  const count = el("p", {class: "unseen", id: "verdict-count"});
  const changed = () => {
    const rows = matching_verdicts(FILTER);
    table.set_rows(rows);
    count.textContent = `${counted(rows.length, "verdict")} shown`;
    announce(count.textContent);
  };
  const bar = filter_bar(changed);
  section.append(el("h2", {id: "verdicts-title", text: "Verdicts"}), bar.element, count, table.pager, table.element);
  show_verdicts = ({status = null, kernel = "", property = ""}) => {
    Object.assign(FILTER, {statuses: new Set(status === null ? [] : [status]), kernel, property});
    bar.show();
    changed();
    section.scrollIntoView();
    section.querySelector("input[type=search]").focus({preventScroll: true});
  };
  section.hidden = false;
}
