function budgets_section(section) {
  if (DATA.budget.length === 0) return;
  section.append(el("h2", {id: "budgets-title", text: "Accuracy budgets"}), record_table(DATA.budget, "Measured figures"));
  section.hidden = false;
}
