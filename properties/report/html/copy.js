// A line of text with a button that copies it.

// For pages that may not use the clipboard interface (opened from a file in some browsers): a selection and the old command.
function copy_by_selection(text) {
  const field = el("textarea", {class: "unseen", readonly: true, "aria-hidden": "true"});
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copy_by_selection(text);
  }
}

// `what` completes "Copy …" for those who do not see what stands beside the button.
function copy_button(text, what) {
  const label = el("span", {text: "Copy"});
  const button = el("button", {type: "button", class: "small copy", "aria-label": `Copy ${what}`}, label);
  let back = 0;
  button.addEventListener("click", async () => {
    const copied = await copy(text);
    button.focus();
    label.textContent = copied ? "Copied" : "Select it by hand";
    announce(copied ? `Copied ${what}` : "The browser does not let this page copy");
    clearTimeout(back);
    back = setTimeout(() => (label.textContent = "Copy"), 2000);
  });
  return button;
}

function command_line(text, what) {
  return el("div", {class: "command"}, el("code", {text}), copy_button(text, what));
}
