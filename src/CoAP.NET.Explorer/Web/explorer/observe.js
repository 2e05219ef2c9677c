// An observation: its state, the value now, a plot, and the last notifications. However many come, the page draws once a frame.

import { follow } from "./api.js";
import { announce, byId, el, fill, shown } from "./dom.js";
import { countText, download } from "./bytes.js";
import { Plot } from "./plot.js";
import { notificationsCsv, numbersOf, previewOf, valuesCsv } from "./values.js";

const MOST = 1000;
const LARGEST = 16 * 1024;
const ROW = 28;
const TILES = 6;
const STATES = { Observing: "good", Stale: "fair", Reregistering: "fair", NotObserving: "bad", Failed: "bad" };

/** What the tests of this page read. */
export const stats = window.explorerStats = {
    frames: 0, longestMs: 0, totalMs: 0, longestGapMs: 0, notifications: 0, dropped: 0, kept: 0, points: 0, rows: 0,
};

export class ObservePanel {
    /** `actions` has open(response, title), wire(event) and problem(problem), called as things happen. */
    constructor(panel, actions) {
        this.panel = panel;
        this.actions = actions;
        this.running = null;
        this.paused = false;
        this.build();
        this.reset();
    }

    build() {
        const button = (id, text, click) => el("button", { id, type: "button", data: { testid: id }, on: { click } }, text);
        this.stateBadge = el("span", { class: "state", data: { testid: "observe-state" } }, "Not observing");
        this.detail = el("span", { class: "muted device", data: { testid: "observe-detail" } });
        this.value = el("div", { class: "live device", data: { testid: "observe-value" } });
        this.uri = el("div", { class: "muted device mono live-uri" });
        this.counts = el("span", { class: "muted", data: { testid: "observe-counts" } });
        this.stopButton = button("observe-stop", "Stop", () => this.stop());
        this.pauseButton = button("observe-pause", "Pause", () => this.pause());
        this.pauseButton.setAttribute("aria-pressed", "false");
        this.clearButton = button("observe-clear", "Clear", () => this.clear());
        this.valuesButton = button("observe-csv-values", "Values as CSV", () => download("values.csv", valuesCsv(this.plot), "text/csv"));
        this.listButton = button("observe-csv", "Notifications as CSV",
            () => download("notifications.csv", notificationsCsv(this.last()), "text/csv"));
        const plotPlace = el("div", { class: "plot", data: { testid: "plot" } });
        this.plot = new Plot(plotPlace);
        this.space = el("div", { class: "notes-space", role: "none" });
        this.list = el("div", {
            class: "notes", role: "list", tabIndex: 0, "aria-label": "Notifications, the newest first", data: { testid: "notifications" },
        }, this.space);
        this.list.addEventListener("scroll", () => this.ask(), { passive: true });
        this.list.addEventListener("click", event => this.openRow(event));
        fill(this.panel,
            el("div", { class: "verdict" }, this.stateBadge, this.detail),
            this.uri, this.value,
            el("div", { class: "bar wrap" }, this.stopButton, this.pauseButton, this.clearButton, this.valuesButton, this.listButton),
            this.counts, plotPlace, this.list);
    }

    reset() {
        this.notes = [];
        this.total = 0;
        this.dropped = 0;
        this.latest = null;
        this.plot.clear();
        this.painted = 0;
        this.moved = true;
        this.ask();
    }

    clear() {
        this.reset();
        this.value.textContent = "";
        announce("The notifications are cleared");
    }

    pause() {
        this.paused = !this.paused;
        this.pauseButton.setAttribute("aria-pressed", String(this.paused));
        this.pauseButton.textContent = this.paused ? "Go on" : "Pause";
        this.ask();
    }

    stop() {
        this.running?.abort();
    }

    /** Observes until it is stopped or the server ends it. */
    async start(request, file) {
        this.stop();
        const controller = new AbortController();
        this.running = controller;
        this.reset();
        this.value.textContent = "";
        this.uri.textContent = shown(request.uri);
        this.state("Registering");
        let failed = false;
        try {
            await follow("observe", request, event => failed = this.take(event) || failed, { signal: controller.signal, file });
        } catch (error) {
            if (error.name !== "AbortError") {
                failed = true;
                this.actions.problem(error);
            }
        }

        if (this.running === controller) {
            this.running = null;
            this.state(failed ? "Failed" : "Stopped");
        }
    }

    // Returns whether the event is the failure of the observation. Nothing is drawn here.
    take(event) {
        switch (event.kind) {
            case "notification":
            case "response":
                this.notify(event);
                break;
            case "state":
                this.state(event.state, event.detail);
                break;
            case "dropped":
                this.dropped += event.count;
                stats.dropped += event.count;
                break;
            case "wire":
                this.actions.wire(event);
                break;
            case "wireSkipped":
                this.actions.wireSkipped(event.count);
                break;
            case "error":
                this.actions.problem(event);
                return true;
        }

        this.ask();
        return false;
    }

    notify(event) {
        const time = event.time ?? new Date().toISOString();
        this.total++;
        stats.notifications++;
        this.latest = event;
        const large = (event.payload?.length ?? 0) > LARGEST;
        this.notes.push({ number: this.total, time, response: large ? { ...event, payload: { length: event.payload.length } } : event });
        if (this.notes.length > MOST * 1.5) {
            this.notes.splice(0, this.notes.length - MOST);
        }

        const numbers = event.success === false ? [] : numbersOf(event);
        if (numbers.length > 0) {
            this.plot.add(Date.parse(time) / 1000 || Date.now() / 1000, numbers);
        }

        this.moved = true;
    }

    last() {
        return this.notes.slice(-MOST);
    }

    state(state, detail) {
        this.stateText = state;
        this.stateBadge.className = "state " + (STATES[state] ?? "plain");
        this.stateBadge.textContent = shown(state, 40);
        this.detail.textContent = shown(detail ?? "", 300);
        const active = this.running !== null;
        byId("observe-dot").hidden = !active;
        this.stopButton.disabled = !active;
        this.ask();
    }

    ask() {
        if (!this.asked) {
            this.asked = true;
            requestAnimationFrame(now => this.frame(now));
        }
    }

    frame(now) {
        this.asked = false;
        const start = performance.now();
        if (this.lastFrame && this.running && now - this.lastFrame < 1000) {
            stats.longestGapMs = Math.max(stats.longestGapMs, now - this.lastFrame);
        }

        this.lastFrame = now;
        if (!this.panel.hidden) {
            this.counts.textContent = [
                `${countText(this.total)} ${this.total === 1 ? "notification" : "notifications"}`,
                this.total > MOST ? `, the last ${countText(MOST)} are kept` : "",
                this.dropped > 0 ? `, ${countText(this.dropped)} left out because the page was slow` : "",
                this.paused ? "; the display is paused" : "",
            ].join("");
            if (!this.paused) {
                this.paint(start);
            }
        }

        const took = performance.now() - start;
        stats.frames++;
        stats.totalMs += took;
        stats.lastMs = took;
        stats.longestMs = Math.max(stats.longestMs, took);
        stats.kept = Math.min(MOST, this.notes.length);
        stats.points = this.plot.points;
        stats.rows = this.space.childElementCount;
    }

    paint(start) {
        this.valuesButton.disabled = this.plot.empty;
        this.listButton.disabled = this.notes.length === 0;
        this.stopButton.disabled = this.running === null;
        if (this.latest) {
            this.paintValue(this.latest);
        }

        this.paintRows();
        // The plot gets at most a fourth of the time, so that the page stays quick with many points.
        if (this.moved && start >= (this.nextPlot ?? 0)) {
            this.moved = false;
            this.plot.draw();
            this.nextPlot = performance.now() + 3 * (performance.now() - start);
        } else if (this.moved) {
            this.ask();
        }
    }

    // A few records of SenML stand side by side; everything else is one text.
    paintValue(response) {
        const records = response.payload?.senml;
        const tiles = Array.isArray(records) && records.length > 0 && records.length <= TILES;
        if (tiles) {
            this.value.className = "live tiles";
            fill(this.value, records.map(record => el("div", { class: "tile" },
                el("div", {}, el("span", { class: "tile-value" }, shown(record.value, 24)), el("span", { class: "tile-unit muted" },
                    shown(record.unit, 12))),
                el("div", { class: "tile-name muted", title: shown(record.name, 200) }, shown(record.name, 60)))));
        } else {
            const text = previewOf(response, 400);
            this.value.className = "live device" + (text.length > 24 ? " long" : "");
            this.value.textContent = shown(text, 400);
        }
    }

    // The newest stands on top; only visible rows stand in the document, and they are used again.
    paintRows() {
        const notes = this.last();
        this.space.style.height = notes.length * ROW + "px";
        const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 2);
        const last = Math.min(notes.length - 1, first + Math.ceil(this.list.clientHeight / ROW) + 4);
        const count = Math.max(0, last - first + 1);
        while (this.space.childElementCount > count) {
            this.space.lastElementChild.remove();
        }

        while (this.space.childElementCount < count) {
            this.space.append(el("div", { class: "note-row", role: "listitem" },
                el("time", { class: "mono muted" }), el("span", { class: "mono" }),
                el("button", { type: "button", class: "note-text device", title: "Open as an answer", data: { testid: "notification" } })));
        }

        for (let index = 0; index < count; index++) {
            const note = notes[notes.length - 1 - first - index];
            const row = this.space.children[index];
            row.style.top = (first + index) * ROW + "px";
            if (row.note !== note) {
                row.note = note;
                row.children[0].textContent = clock(note.time);
                row.children[1].textContent = shown(note.response.code, 8);
                row.children[2].textContent = shown(previewOf(note.response) || "(empty)", 200);
            }
        }
    }

    openRow(event) {
        const note = event.target.closest(".note-row")?.note;
        if (note && event.target.closest("button")) {
            this.actions.open(note.response, `Notification ${countText(note.number)} at ${clock(note.time)}`);
        }
    }
}

// The time of day here, as on the axis of the plot.
function clock(text) {
    const time = new Date(text);
    const part = (value, length = 2) => String(value).padStart(length, "0");
    return Number.isNaN(time.getTime()) ? shown(text, 12)
        : `${part(time.getHours())}:${part(time.getMinutes())}:${part(time.getSeconds())}.${part(time.getMilliseconds(), 3)}`;
}
