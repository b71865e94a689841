// Fills the sections, and the list of them at the top of the page.

const SECTIONS = {
  overview: overview_section, failures: failures_section, verdicts: verdicts_section, error: error_section,
  budgets: budgets_section, speed: speed_section, power: power_section, surroundings: surroundings_section,
};

for (const [id, fill_section] of Object.entries(SECTIONS)) {
  const section = document.getElementById(id);
  try {
    fill_section(section);
  } catch (error) {
    // A record that no version of the tool writes: the rest of the page stays.
    add(section, el("p", {class: "note", text: `Not all of "${section.dataset.section}" can be shown: ${error.message}`}));
    section.hidden = false;
    document.documentElement.dataset.trouble = error.message;
  }
  if (!section.hidden) document.getElementById("sections").append(el("li", {}, el("a", {href: `#${id}`, text: section.dataset.section})));
}

const absent = [["verdicts", VERDICT_COUNT], ["budgets", DATA.budget.length + DATA.causes.length], ["timings", DATA.perf.length]].filter(([, count]) => count === 0).map(([name]) => name);
document.getElementById("colophon").textContent =
  `Made by xqacheck ${DATA.tool}${DATA.made ? ` at ${DATA.made}` : ""}.${absent.length > 0 ? ` These files hold no ${absent.join(", no ")}.` : ""}`;
document.documentElement.dataset.ready = "true";
