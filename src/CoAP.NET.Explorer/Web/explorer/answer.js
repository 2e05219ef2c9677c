// The answer to a request, and how far a transfer is.

import { byId, el, fill, icon, shown } from "./dom.js";
import { sizeText, timeText } from "./bytes.js";
import { optionTable } from "./ladder.js";
import { PayloadView } from "./payload.js";

export class AnswerPanel {
    constructor(panel) {
        this.panel = panel;
        this.place = el("div", { class: "payload", data: { testid: "payload" } });
        this.payload = new PayloadView(this.place);
        this.clear();
    }

    clear(text = "Send a request; its answer appears here.") {
        this.payload.release();
        fill(this.panel, el("p", { class: "muted empty" }, text));
    }

    show(response, { title = null, note = null } = {}) {
        const options = response.options ?? [];
        const facts = [
            response.elapsedMs === undefined ? null : timeText(response.elapsedMs),
            response.retransmissions > 0
                ? `${response.retransmissions} ${response.retransmissions === 1 ? "retransmission" : "retransmissions"}` : null,
            response.peer ? "from " + shown(response.peer, 80) : null,
        ].filter(Boolean);
        fill(this.panel,
            title ? el("p", { class: "muted" }, title) : null,
            el("div", { class: "verdict", data: { testid: "verdict" } },
                el("span", { class: "code " + (response.success ? "good" : "bad"), data: { testid: "answer-code" } },
                    shown(response.code, 8)),
                el("span", { class: "code-name", data: { testid: "answer-name" } }, shown(response.name, 60)),
                el("span", { class: "muted device", data: { testid: "answer-facts" } }, facts.join(" · "))),
            options.length > 0 ? el("details", { class: "block", open: true },
                el("summary", {}, `Options (${options.length})`), optionTable(options)) : null,
            this.place);
        this.payload.show(response, note);
    }
}

/** Shows an error in the region that screen readers read at once. */
export function showProblem(problem, id = "alert") {
    const place = byId(id);
    fill(place, el("div", { class: "alert" },
        el("div", {},
            el("strong", { data: { testid: id + "-title" } }, shown(problem.title ?? "Something failed", 300)),
            problem.detail ? el("p", { class: "device", data: { testid: id + "-detail" } }, shown(problem.detail, 2000)) : null,
            problem.hint ? el("p", { class: "device", data: { testid: id + "-hint" } }, shown(problem.hint, 2000)) : null),
        el("button", {
            type: "button", class: "quiet square", "aria-label": "Close this message", on: { click: () => fill(place) },
        }, icon("close"))));
}

export const clearProblem = (id = "alert") => fill(byId(id));

/** The bar that shows how far a transfer is. */
export const progress = {
    start() {
        byId("progress-box").hidden = true;
        byId("resume").hidden = true;
    },

    show(event, offset) {
        const bar = byId("progress");
        const done = event.transferred;
        const total = typeof event.total === "number" ? event.total : null;
        byId("progress-box").hidden = false;
        if (total !== null && total > 0) {
            bar.max = total;
            bar.value = Math.min(total, done);
        } else {
            bar.removeAttribute("value");
        }

        const percent = total ? ` (${Math.floor(100 * Math.min(done, total) / total)} %)` : "";
        byId("progress-text").textContent = `${event.upload ? "Upload" : "Download"}: ${sizeText(done)}`
            + (total === null ? "" : ` of ${sizeText(total)}`) + percent + (offset > 0 ? `, resumed at ${sizeText(offset)}` : "");
    },

    stop(text) {
        const bar = byId("progress");
        if (!bar.hasAttribute("value")) {
            bar.max = 1;
            bar.value = 0;
        }

        if (text && !byId("progress-box").hidden) {
            byId("progress-text").textContent += text;
        }
    },

    offer(bytes) {
        byId("progress-box").hidden = false;
        byId("progress-text").textContent = `${sizeText(bytes)} are here.`;
        byId("resume").hidden = false;
    },

    done() {
        byId("progress-box").hidden = true;
    },
};
