import { bytes, make, short, time } from "./dashboard-text.js";
import { colourOf } from "./plot.js";

const rate = value => (value === null || value === undefined ? "–" : short(value));

const plots = [
  { title: "Requests per second", format: rate, series: [["requests", "Requests", "--s1", true]] },
  {
    title: "Answers per second by class", format: rate,
    series: [["success", "2.xx", "--s5", true], ["clientError", "4.xx", "--s2"], ["serverError", "5.xx", "--s3"]],
  },
  { title: "Latency", format: time, log: true, series: [["p50", "p50", "--s5"], ["p90", "p90", "--s1"], ["p99", "p99", "--s3"]] },
  {
    title: "Peers, sessions, observers", format: rate,
    series: [["peers", "Peers", "--s1"], ["connections", "Connections, sessions", "--s4"], ["observers", "Observers", "--s5"]],
  },
  {
    title: "Trouble per second", format: rate,
    series: [["retransmissions", "Sent again", "--s2"], ["duplicates", "Duplicates", "--s4"], ["drops", "Dropped", "--s3"],
      ["refusals", "Refused", "--s1"]],
  },
  {
    title: "Traffic per second", format: bytes,
    series: [["bytesReceived", "Received", "--s1", true], ["bytesSent", "Sent", "--s5"]],
  },
];

// Steps of an axis that its labels name exactly: whole numbers, and for bytes powers of two, as their units.
const wholeSteps = Array.from({ length: 36 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const byteSteps = Array.from({ length: 45 }, (_, i) => 2 ** i);

// Where nobody looked for a while, lines have a gap.
const longestStep = 5;

// A new page shows this many seconds, and more as there are more.
const shortestSpan = 10;

export class Plots {
  constructor(parent) {
    this.columns = null;
    this.span = 900;
    this.shown = [];
    for (const plot of plots) {
      const figure = make("figure", "plot");
      const title = make("h3", "", plot.title);
      const area = make("div", "area");
      area.setAttribute("role", "img");
      figure.append(title, area);
      parent.append(figure);
      this.shown.push({ plot, area, chart: null });
    }
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(parent);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rebuild());
    matchMedia("(resolution: 1dppx)").addEventListener("change", () => this.rebuild());
  }

  begin(columns) {
    this.columns = { time: [] };
    for (const name of Object.keys(columns)) this.columns[name] = [];
    for (let i = 0; i < columns.time.length; i++) {
      const values = {};
      for (const name of Object.keys(columns)) values[name] = columns[name][i];
      this.push(values);
    }
    this.rebuild();
  }

  add(values) {
    this.push(values);
    this.draw();
  }

  push(values) {
    const times = this.columns.time;
    const at = values.time / 1000;
    if (times.length > 0 && at - times[times.length - 1] > longestStep) {
      for (const name of Object.keys(this.columns)) this.columns[name].push(name === "time" ? times[times.length - 1] + 1 : null);
    }
    for (const name of Object.keys(this.columns)) this.columns[name].push(name === "time" ? at : values[name]);
    let old = 0;
    while (old < times.length && times[old] < at - 900) old++;
    if (old > 0) for (const name of Object.keys(this.columns)) this.columns[name].splice(0, old);
  }

  setSpan(seconds) {
    this.span = seconds;
    this.draw();
  }

  resize() {
    for (const one of this.shown) {
      if (one.chart && one.area.clientWidth > 0) one.chart.setSize({ width: one.area.clientWidth, height: 170 });
    }
  }

  draw() {
    if (!this.columns) return;
    for (const one of this.shown) {
      one.chart?.setData(this.dataOf(one.plot));
      one.area.setAttribute("aria-label", this.describe(one.plot));
      if (one.chart && this.columns.time.length > 0 && (one.chart.cursor.left ?? -1) < 0) {
        one.chart.setLegend({ idx: this.columns.time.length - 1 }, false);
      }
    }
  }

  rebuild() {
    if (!this.columns) return;
    for (const one of this.shown) {
      one.chart?.destroy();
      one.chart = new uPlot(this.optionsOf(one), this.dataOf(one.plot), one.area);
    }
    this.draw();
  }

  dataOf(plot) {
    return [this.columns.time, ...plot.series.map(([name]) => this.columns[name])];
  }

  // For who does not see it: the newest values.
  describe(plot) {
    const last = this.columns.time.length - 1;
    const values = plot.series.map(([name, label]) => `${label} ${last < 0 ? "–" : plot.format(this.columns[name][last])}`);
    return `${plot.title}: ${values.join(", ")}`;
  }

  optionsOf({ plot, area }) {
    const axis = { stroke: colourOf("--faint"), grid: { stroke: colourOf("--grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    return {
      width: Math.max(200, area.clientWidth),
      height: 170,
      padding: [8, 26, 0, 0],
      cursor: { sync: { key: "dashboard" }, drag: { x: false, y: false }, points: { size: 7 } },
      legend: { live: true },
      scales: {
        x: { time: true, range: () => this.range() },
        y: plot.log
          ? { distr: 3, log: 10, range: (_, min, max) => [Math.min(min ?? 1e-4, 1e-3) * 0.8, Math.max(max ?? 1e-2, 1e-2) * 1.3] }
          : { range: (_, min, max) => [0, Math.max(1, (max ?? 1) * 1.12)] },
      },
      axes: [
        { ...axis, size: 26, space: 70, values: (_, splits) => splits.map(clock) },
        {
          ...axis, size: 62, space: 28,
          incrs: plot.format === bytes ? byteSteps : wholeSteps,
          splits: plot.log ? (_, index, min, max) => powers(min, max) : undefined,
          filter: plot.log ? (_, splits) => splits : undefined,
          values: (_, splits) => splits.map(value => (value === null ? "" : plot.format(value))),
        },
      ],
      series: [
        { label: "At", value: (_, value) => (value === null || value === undefined ? "–" : clock(value, true)) },
        ...plot.series.map(([, label, name, filled]) => ({
          label,
          stroke: colourOf(name),
          width: 1.8,
          fill: filled ? colourOf(name).replace(/^rgb\((.*)\)$/, "rgba($1, 0.13)") : undefined,
          points: { show: false },
          value: (_, value) => plot.format(value),
        })),
      ],
    };
  }

  range() {
    const times = this.columns.time;
    const end = times.length > 0 ? times[times.length - 1] : Date.now() / 1000;
    const span = Math.max(shortestSpan, times.length > 0 ? end - times[0] : 0);
    return [end - Math.min(span, this.span), end];
  }
}

// On a logarithmic scale the powers of ten alone.
function powers(min, max) {
  const values = [];
  for (let power = Math.ceil(Math.log10(min)); power <= Math.log10(max); power++) values.push(10 ** power);
  return values;
}

function clock(seconds, withSeconds) {
  const at = new Date(seconds * 1000);
  const two = part => String(part).padStart(2, "0");
  const minutes = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return withSeconds === true || at.getSeconds() !== 0 ? `${minutes}:${two(at.getSeconds())}` : minutes;
}
