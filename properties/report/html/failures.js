// Every failure: those of one kind together, the smallest case first.

const GROUPS_SHOWN = 20;    // more kinds are consequences of these; a button shows them
const LINES_AT_ONCE = 50;

function failure_groups() {
  const failing = ALL_VERDICTS.filter((i) => FAILING.has(text_at(VERDICTS.status[i])));
  const key = ({in_run, kernel, property, status, kind}) => JSON.stringify([in_run, kernel, property, status, kind]);
  const smallest = new Map(DATA.shrunk.map((shrunk) => [key(shrunk), shrunk]));
  return [...grouped(failing, (i) => key(verdict_at(i))).entries()]
    .map(([id, indices]) => ({indices, first: verdict_at(indices[0]), smallest: smallest.get(id) ?? null}))
    .sort((a, b) => STATUSES.indexOf(a.first.status) - STATUSES.indexOf(b.first.status) || a.indices[0] - b.indices[0]);
}

// The run lines of all failures of a group, some at a time.
function all_lines(indices) {
  const list = el("ul", {class: "lines"});
  const more = el("button", {type: "button", class: "small"});
  let shown = 0;
  const show_more = () => {
    for (const i of indices.slice(shown, shown + LINES_AT_ONCE))
      list.append(el("li", {}, command_line(run_line_of(i), `the run line of case ${VERDICTS.number[i]}`)));
    shown = Math.min(indices.length, shown + LINES_AT_ONCE);
    more.textContent = `Show more (${count_text(indices.length - shown)} left)`;
    more.hidden = shown === indices.length;
  };
  more.addEventListener("click", show_more);
  const details = el("details", {}, el("summary", {text: `Run lines of all ${count_text(indices.length)}`}), list, more);
  details.addEventListener("toggle", () => { if (details.open && shown === 0) show_more(); });
  return details;
}

function failure_card({indices, first, smallest}) {
  const id = fresh_id("failure");
  const {kernel, property, status, kind} = first;
  const what = `${property} of ${kernel}`;
  const shown = smallest ?? first, shrunk = smallest !== null && smallest.run !== first.run;
  // The maps of the case as it was found say more than those of a case of a few elements.
  const with_maps_of_first = shrunk && first.maps !== undefined;
  return el("article", {class: "card failure", "data-status": status, "aria-labelledby": id},
    el("header", {}, badge(status), el("h3", {id, text: what}), el("span", {class: "muted small", text: [kind, counted(indices.length, "verdict")].filter((part) => part).join(" · ")})),
    shrunk ? el("p", {class: "label", text: "The smallest case that fails alike"}) : null,
    verdict_detail(with_maps_of_first ? {...shown, maps: []} : shown, what),
    shrunk ? [el("p", {class: "label", text: "As it was found first"}), command_line(repro_command(first), `the command for the first failure of ${what}`)] : null,
    with_maps_of_first ? el("div", {class: "side"}, first.maps.map(heat_figure)) : null,
    indices.length > 1 ? all_lines(indices) : null);
}

function failures_section(section) {
  const groups = failure_groups();
  if (groups.length === 0) return;
  const total = groups.reduce((sum, {indices}) => sum + indices.length, 0);
  add(section, el("h2", {id: "failures-title", text: "Failures"}),
    el("p", {class: "lead", text: `${counted(total, "verdict")} of ${counted(groups.length, "kind")}. Each command replays its failure in a new process.`}),
    groups.slice(0, GROUPS_SHOWN).map(failure_card));
  if (groups.length > GROUPS_SHOWN) {
    const rest = groups.slice(GROUPS_SHOWN);
    const button = el("button", {type: "button", text: `Show ${counted(rest.length, "more kind", "more kinds")}`});
    button.addEventListener("click", () => button.replaceWith(...rest.map(failure_card)));
    section.append(button);
  }
  section.hidden = false;
}
