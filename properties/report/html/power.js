// Oracle power: which planted faults each check kills. The records have no charts of their own yet: where there are none, the
// section says what will stand here.

function power_section(section) {
  section.append(el("h2", {id: "power-title", text: "Oracle power"}));
  if (DATA.power.length > 0) section.append(record_table(DATA.power, "Faults and what each check makes of them"));
  else
    section.append(el("p", {class: "to-come", text: "Here will stand, for each check, the share of planted faults that it kills, by head dim, format of the cache and length, " +
      "with the faults that no check sees. It is drawn from records of type “power”; these files hold none."}));
  section.hidden = false;
}
