// Numbers as people read them. Results write NaN and infinities as text, as JSON has none.

function number_of(value) {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return NaN;
}

const whole = new Intl.NumberFormat("en");

function count_text(value) {
  return Number.isFinite(value) ? whole.format(value) : String(value);
}

function counted(count, one, many = `${one}s`) {
  return `${count_text(count)} ${count === 1 ? one : many}`;
}

// Three significant digits, in the form that is shortest to read.
function short_number(value) {
  const number = number_of(value);
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number > 0 ? "∞" : "−∞";
  if (number === 0) return "0";
  const size = Math.abs(number);
  const text = size >= 1e5 || size < 1e-3 ? number.toExponential(2).replace(/\.?0*e\+?/, "e") : String(+number.toPrecision(3));
  return text.replaceAll("-", "−");
}

// A share of one: "1.3 %", "420 %", "41 times".
function share_text(value) {
  const share = number_of(value);
  if (!Number.isFinite(share)) return short_number(share);
  if (share >= 10) return `${short_number(share)} times`;
  return `${short_number(share * 100)} %`;
}

function seconds_text(value) {
  const seconds = number_of(value);
  if (!Number.isFinite(seconds)) return "";
  if (seconds >= 5400) return `${short_number(seconds / 3600)} h`;
  if (seconds >= 90) return `${short_number(seconds / 60)} min`;
  if (seconds >= 1) return `${short_number(seconds)} s`;
  if (seconds >= 1e-3) return `${short_number(seconds * 1e3)} ms`;
  return `${short_number(seconds * 1e6)} µs`;
}

// Powers of ten as they stand on an axis: 0.01, 1, 100, 1e−7.
function tick_text(value) {
  return value >= 1e-3 && value < 1e6 ? count_text(value) === "0" ? String(value) : short_number(value) : `1e${Math.round(Math.log10(value))}`.replace("-", "−");
}
