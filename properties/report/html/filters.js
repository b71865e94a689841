// Which verdicts the table shows: search words, statuses, kernel, property, run.

const FILTER = {words: [], statuses: new Set(), kernel: "", property: "", run: ""};

// Texts are stored once, so each word is looked for in each text once and not in each verdict.
function texts_with(word) {
  return DATA.text.map((text) => text.toLowerCase().includes(word));
}

function notes_with(word) {
  const found = new Set();
  for (const [i, detail] of DETAILS)
    if (detail.notes?.some((note) => note.toLowerCase().includes(word))) found.add(i);
  return found;
}

const SEARCHED = ["kernel", "property", "status", "kind", "how", "message", "hash"];

function matching_verdicts(filter) {
  const words = filter.words.map((word) => ({texts: texts_with(word), notes: notes_with(word)}));
  const has = (i) => words.every(({texts, notes}) =>
    texts[DATA.cases.line[VERDICTS.case[i]]] || SEARCHED.some((column) => texts[VERDICTS[column][i]]) || notes.has(i));
  return ALL_VERDICTS.filter((i) =>
    (filter.statuses.size === 0 || filter.statuses.has(text_at(VERDICTS.status[i]))) &&
    (filter.kernel === "" || text_at(VERDICTS.kernel[i]) === filter.kernel) &&
    (filter.property === "" || text_at(VERDICTS.property[i]) === filter.property) &&
    (filter.run === "" || VERDICTS.run[i] === Number(filter.run)) && has(i));
}

// The controls; `changed` is called after each change. Returns {element, show}: show() brings the controls in line with FILTER.
function filter_bar(changed) {
  const search = el("input", {type: "search", placeholder: "words of a case, message or note", autocomplete: "off", spellcheck: "false", "aria-describedby": "verdict-count"});
  let wait = 0;
  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => {
      FILTER.words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
      changed();
    }, 120);  // between two key strokes of somebody who types
  });
  const toggles = status_counts(ALL_VERDICTS).map(([status, count]) => {
    const toggle = el("button", {type: "button", class: "toggle", "data-status": status, "aria-pressed": "false"}, `${status} `, el("span", {class: "count", text: count_text(count)}));
    toggle.addEventListener("click", () => {
      if (!FILTER.statuses.delete(status)) FILTER.statuses.add(status);
      show();
      changed();
    });
    return toggle;
  });
  const choice = (key, label, options) => {
    const select = el("select", {}, el("option", {value: "", text: "all"}), options.map(([value, text]) => el("option", {value, text})));
    select.addEventListener("change", () => {
      FILTER[key] = select.value;
      changed();
    });
    return {key, select, element: options.length > 1 ? el("label", {}, label, select) : null};
  };
  const names = (column) => [...new Set(VERDICTS[column])].map(text_at).sort().map((name) => [name, name]);
  const choices = [choice("kernel", "Kernel", names("kernel")), choice("property", "Property", names("property")),
    choice("run", "File", DATA.runs.map((run, i) => [String(i), run.file]))];
  const clear = el("button", {type: "button", text: "Show all", onclick: () => {
    Object.assign(FILTER, {words: [], statuses: new Set(), kernel: "", property: "", run: ""});
    search.value = "";
    show();
    changed();
  }});
  function show() {
    for (const toggle of toggles) toggle.setAttribute("aria-pressed", String(FILTER.statuses.has(toggle.dataset.status)));
    for (const {key, select} of choices) select.value = FILTER[key];
  }
  const element = el("div", {class: "filters", role: "search", "aria-label": "Filter verdicts"}, el("label", {class: "search"}, "Search", search),
    choices.map(({element}) => element), el("fieldset", {}, el("legend", {text: "Status"}), toggles), clear);
  return {element, show};
}
