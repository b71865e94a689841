// Oracle power: which planted faults each check kills. The records have no charts of their own yet.

function power_section(section) {
  if (DATA.power.length === 0) return;
  section.append(el("h2", {id: "power-title", text: "Oracle power"}), record_table(DATA.power, "Faults and what each check makes of them"));
  section.hidden = false;
}
