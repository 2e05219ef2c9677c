// Figures as text. All that is shown is text: nothing of what a peer says becomes markup.

const whole = new Intl.NumberFormat("en");
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const hundredth = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return Math.abs(value) >= 100 || Number.isInteger(value) ? whole.format(Math.round(value)) : tenth.format(value);
}

export function short(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e6) return `${hundredth.format(value / 1e6)} M`;
  return value >= 1e4 ? `${tenth.format(value / 1e3)} k` : number(value);
}

export function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1e-3) return `${number(Math.round(seconds * 1e6))} µs`;
  if (seconds < 1) return `${hundredth.format(Number((seconds * 1e3).toPrecision(3)))} ms`;
  if (seconds < 120) return `${hundredth.format(Number(seconds.toPrecision(3)))} s`;
  return seconds < 7200 ? `${number(Math.round(seconds / 60))} min` : `${number(Math.round(seconds / 3600))} h`;
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  if (value < 1024) return `${number(Math.round(value))} B`;
  if (value < 1024 * 1024) return `${tenth.format(value / 1024)} KiB`;
  return value < 1024 ** 3 ? `${tenth.format(value / 1024 ** 2)} MiB` : `${tenth.format(value / 1024 ** 3)} GiB`;
}

export function percent(part, all) {
  if (!all) return "–";
  const value = 100 * part / all;
  return value > 0 && value < 0.1 ? "<0.1 %" : `${tenth.format(value)} %`;
}

// "DatagramsReceived" as "Datagrams received".
export function words(name) {
  const text = name.replace(/^Max(?=[A-Z])/, "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
