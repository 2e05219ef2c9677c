// A plot of numbers over time. Its arrays are bounded, and it draws once a frame at most.

import { el, fill, shown } from "./dom.js";

const COLOURS = 8;

export class Plot {
    /** `most` is how many points all series together keep; `mostSeries` how many series. */
    constructor(place, { most = 50_000, mostSeries = 12 } = {}) {
        this.most = most;
        this.mostSeries = mostSeries;
        this.frame = el("div", { class: "plot-frame", role: "img", "aria-label": "Values over time" });
        this.legend = el("ul", { class: "plot-legend", "data-testid": "plot-legend" });
        fill(place, this.frame, this.legend);
        this.place = place;
        this.hidden = new Set();
        this.clear();
        new ResizeObserver(() => this.resize()).observe(this.frame);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
        new MutationObserver(() => this.recolour())
            .observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    }

    get empty() {
        return this.series.size === 0;
    }

    get points() {
        return this.times.length * Math.max(1, this.series.size);
    }

    clear() {
        this.times = [];
        this.series = new Map();
        this.left = 0;
        this.drop();
        this.legend.replaceChildren();
        this.place.hidden = true;
    }

    /** Takes values of one moment (seconds since 1970): pairs of a name and a number. */
    add(time, values) {
        let known = false;
        for (const [name] of values) {
            if (this.series.has(name)) {
                known = true;
            } else if (this.series.size < this.mostSeries) {
                this.series.set(name, new Array(this.times.length).fill(null));
                this.drop();
                known = true;
            } else {
                this.left++;
            }
        }

        if (!known) {
            return;
        }

        // Times must not go back; a clock that is set is no reason to draw backwards.
        this.times.push(Math.max(time, this.times[this.times.length - 1] ?? time));
        for (const column of this.series.values()) {
            column.push(null);
        }

        for (const [name, value] of values) {
            const column = this.series.get(name);
            if (column) {
                column[column.length - 1] = value;
            }
        }

        const longest = Math.floor(this.most / this.series.size);
        if (this.times.length > longest * 1.1) {
            const excess = this.times.length - longest;
            this.times.splice(0, excess);
            for (const column of this.series.values()) {
                column.splice(0, excess);
            }
        }
    }

    /** Draws what is there. */
    draw() {
        if (this.empty) {
            return;
        }

        this.place.hidden = false;
        if (!this.plot) {
            this.create();
        } else {
            this.plot.setData(this.data());
        }
    }

    data() {
        return [this.times, ...this.series.values()];
    }

    // uPlot builds its own legend out of names; this page builds its own, so that names stay text.
    create() {
        const text = colourOf("--muted");
        const grid = { stroke: colourOf("--line"), width: 1 };
        const names = [...this.series.keys()];
        const hooks = { setCursor: [plot => this.showCursor(plot.cursor.idx)] };
        const axis = { stroke: text, grid, ticks: grid, font: "12px system-ui, sans-serif" };
        this.plot = new window.uPlot({
            width: Math.max(200, this.frame.clientWidth),
            height: 220,
            legend: { show: false },
            cursor: { drag: { x: true, y: false } },
            hooks,
            axes: [{ ...axis, space: 84, values: (plot, times) => times.map(timeOfDay) }, { ...axis, size: widthOf }],
            padding: [null, 28, null, null],
            series: [{}, ...names.map((name, index) => ({
                label: String(index + 1), stroke: colourOf("--series-" + (index % COLOURS + 1)), width: 1.75, spanGaps: true,
                points: { show: false }, show: !this.hidden.has(name),
            }))],
        }, this.data(), this.frame);
        this.readings = names.map(() => el("span", { class: "mono muted" }));
        fill(this.legend, names.map((name, index) => {
            const check = el("input", { type: "checkbox", checked: !this.hidden.has(name) });
            check.addEventListener("change", () => {
                this.hidden[check.checked ? "delete" : "add"](name);
                this.plot?.setSeries(index + 1, { show: check.checked });
            });
            return el("li", {}, el("label", { class: "check series-" + (index % COLOURS + 1) }, check, el("span", { class: "swatch" }),
                el("bdi", { class: "device" }, shown(name, 80)), this.readings[index]));
        }), this.left > 0 ? el("li", { class: "muted" }, `Only ${this.mostSeries} series are drawn.`) : null);
    }

    // The values below the pointer stand in the legend.
    showCursor(index) {
        [...this.series.values()].forEach((column, place) => {
            if (this.readings[place]) {
                this.readings[place].textContent = index === null || index === undefined ? "" : String(column[index] ?? "–");
            }
        });
    }

    drop() {
        this.plot?.destroy();
        this.plot = null;
    }

    resize() {
        if (this.plot && this.frame.clientWidth > 0) {
            this.plot.setSize({ width: Math.max(200, this.frame.clientWidth), height: 220 });
        }
    }

    recolour() {
        if (this.plot) {
            this.drop();
            this.draw();
        }
    }
}

function timeOfDay(seconds) {
    const time = new Date(seconds * 1000);
    const part = value => String(value).padStart(2, "0");
    const fraction = seconds % 1 === 0 ? "" : "." + Math.floor((seconds % 1) * 10);
    return `${part(time.getHours())}:${part(time.getMinutes())}:${part(time.getSeconds())}${fraction}`;
}

/** Returns the colour of a variable. The browser resolves one with light-dark() only where it is used. */
export function colourOf(variable) {
    const probe = el("span", { hidden: true });
    probe.style.color = `var(${variable})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}

// Large numbers need more room than small ones.
function widthOf(plot, labels) {
    const longest = Math.max(0, ...(labels ?? []).map(label => String(label ?? "").length));
    return Math.max(56, 20 + 8 * longest);
}
