// The messages on the wire, as a ladder between client and server.

import { byId, el, fill, oncePerFrame, shown } from "./dom.js";
import { countText, sizeText, timeText } from "./bytes.js";
import { messageBytes } from "./message.js";

const MOST = 300;
const MOST_BYTES = 2048;
const MOST_FIELDS = 1000;
const SOURCES = ["request", "observation"];

export class Ladder {
    constructor(panel) {
        this.panel = panel;
        this.logs = Object.fromEntries(SOURCES.map(source => [source, newLog()]));
        this.source = "request";
        this.buttons = SOURCES.map(source => el("label", {},
            el("input", {
                type: "radio", name: "wire-source", value: source, checked: source === "request", data: { testid: "wire-" + source },
            }),
            el("span", {}, source === "request" ? "Request" : "Observation")));
        this.count = el("span", { class: "muted", data: { testid: "wire-count" } });
        this.list = el("ol", { class: "ladder", "aria-label": "Messages in order", data: { testid: "ladder" } });
        this.peer = el("bdi", { class: "device" }, "Server");
        this.empty = el("p", { class: "muted empty" }, "No messages yet. Send a request; all its messages appear here.");
        this.heads = el("div", { class: "ladder-heads", "aria-hidden": "true" }, el("span"), el("b", {}, "Client"), el("b", {}, this.peer));
        this.chooser = el("div", { class: "segments", role: "radiogroup", "aria-label": "Messages of" }, this.buttons);
        this.chooser.addEventListener("change", event => this.choose(event.target.value));
        fill(panel, el("div", { class: "bar" }, this.chooser, this.count), this.empty, this.heads, this.list);
        this.draw = oncePerFrame(() => this.render());
        this.drawn = null;
        this.render();
    }

    /** Starts anew for a request or an observation. */
    start(source) {
        this.logs[source] = newLog();
        this.choose(source);
    }

    choose(source) {
        this.source = source;
        for (const radio of this.chooser.querySelectorAll("input")) {
            radio.checked = radio.value === source;
        }

        this.draw();
    }

    /** Takes a message; it is drawn with the next frame. */
    add(source, event) {
        const log = this.logs[source];
        log.total++;
        log.messages.push({
            ...event, hex: String(event.hex ?? "").slice(0, 2 * MOST_BYTES), fields: (event.fields ?? []).slice(0, MOST_FIELDS),
        });
        if (log.messages.length > 2 * MOST) {
            log.messages.splice(0, log.messages.length - MOST);
        }

        this.draw();
    }

    /** Takes a number of messages that the server left out at the end. */
    skip(source, count) {
        this.logs[source].messages.push({ skipped: count, isGap: true });
        this.draw();
    }

    render() {
        const log = this.logs[this.source];
        const badge = byId("wire-count");
        badge.hidden = log.total === 0;
        badge.textContent = countText(log.total);
        if (this.panel.hidden) {
            return;
        }

        const messages = log.messages.slice(-MOST);
        if (this.drawn !== log) {
            this.drawn = log;
            this.last = null;
            this.list.replaceChildren();
        }

        // Only what came since the last frame becomes new rows.
        const known = this.last === null ? -1 : messages.lastIndexOf(this.last);
        const follow = this.panel.scrollTop + this.panel.clientHeight >= this.panel.scrollHeight - 40 && this.list.childElementCount > 0;
        if (known < 0) {
            this.list.replaceChildren();
        }

        for (const event of messages.slice(known + 1)) {
            if (event.skipped > 0) {
                this.list.append(el("li", { class: "ladder-gap muted" }, `${countText(event.skipped)} messages are left out here`));
            }

            if (!event.isGap) {
                this.list.append(row(event));
            }
        }

        while (this.list.childElementCount > MOST) {
            this.list.firstElementChild.remove();
        }

        this.last = messages[messages.length - 1] ?? null;
        this.empty.hidden = messages.length > 0;
        this.heads.hidden = messages.length === 0;
        this.count.textContent = log.total === 0 ? ""
            : `${countText(log.total)} messages` + (log.total > messages.length ? `, the last ${messages.length} shown` : "");
        this.peer.textContent = shown(messages.findLast(event => event.peer)?.peer ?? "Server", 60);
        if (follow && this.source === "observation") {
            this.panel.scrollTop = this.panel.scrollHeight;
        }
    }
}

function newLog() {
    return { messages: [], total: 0 };
}

function row(event) {
    const message = event.message ?? {};
    const outbound = event.outbound === true;
    const again = event.retransmission > 0;
    const facts = [
        message.messageId === undefined || message.messageId === null ? null : `MID ${message.messageId}`,
        message.token ? `token ${shown(message.token, 20)}` : null,
        sizeText(message.size ?? 0),
    ].filter(Boolean).join(" · ");
    const details = el("div", { class: "ladder-details", hidden: true, data: { testid: "wire-details" } });
    const button = el("button", {
        type: "button", class: "ladder-message", "aria-expanded": "false", data: { testid: "wire-message" },
    },
    el("span", { class: "offscreen" }, outbound ? "Client to server: " : "Server to client: "),
    el("span", { class: "ladder-title" },
        message.type ? el("span", { class: "kind" }, shown(message.type, 8)) : null,
        el("span", { class: "device ladder-summary" }, summaryOf(message)),
        again ? el("span", { class: "badge again" }, `Retransmission ${event.retransmission}`) : null,
        message.part ? el("span", { class: "badge block" }, shown(message.part, 60)) : null),
    el("span", { class: "arrow", "aria-hidden": "true" }),
    el("span", { class: "ladder-facts mono" }, facts));
    let built = false;
    button.addEventListener("click", () => {
        const open = details.hidden;
        if (open && !built) {
            built = true;
            fill(details, detailsOf(event, message));
        }

        details.hidden = !open;
        button.setAttribute("aria-expanded", String(open));
    });
    return el("li", { class: "ladder-row " + (outbound ? "out" : "in") + (again ? " repeated" : "") },
        el("time", { class: "mono" }, timeText(event.time)), button, details);
}

// The summary begins with the type, which stands in front of it anyway.
function summaryOf(message) {
    const summary = String(message.summary ?? `${message.code ?? ""} ${message.name ?? ""}`);
    const type = message.type ? message.type + " " : "";
    return shown(type !== "" && summary.startsWith(type) ? summary.slice(type.length) : summary, 200);
}

function detailsOf(event, message) {
    const options = message.options ?? [];
    const fault = message.error ? [message.error.message, message.error.reference].filter(Boolean).join(", ") : null;
    const remarks = message.remarks ?? [];
    return [
        fault ? el("p", { class: "warning device" }, shown(fault)) : null,
        remarks.length > 0 ? el("ul", { class: "remarks" }, remarks.map(remark => el("li", { class: "device" }, shown(remark)))) : null,
        options.length > 0 ? optionTable(options) : null,
        messageBytes(event.hex, event.fields, message.size ?? 0),
    ];
}

// Whether the value already is the bytes of the option, as that of an ETag.
function isHexOf(option) {
    return String(option.value).toLowerCase().replace(/^0x/, "") === String(option.hex ?? "").toLowerCase();
}

/** Builds the table of the options of a message. */
export function optionTable(options) {
    return el("div", { class: "table-box" }, el("table", { class: "options", data: { testid: "options" } },
        el("caption", { class: "offscreen" }, "Options"),
        el("tbody", {}, options.map(option => el("tr", {},
            el("th", { scope: "row" }, shown(option.name, 60), " ", el("span", { class: "muted" }, String(option.number))),
            el("td", { class: "device" }, shown(option.value),
                option.remark ? el("span", { class: "muted" }, " " + shown(option.remark)) : null),
            el("td", { class: "mono muted hex-cell" }, isHexOf(option) ? null : shown(option.hex, 48)))))));
}
