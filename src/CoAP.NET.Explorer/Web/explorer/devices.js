// Devices that answer a multicast request; they are listed as they answer.

import { follow } from "./api.js";
import { byId, el, fill, icon, shown } from "./dom.js";
import { clearProblem, showProblem } from "./answer.js";
import { timeText } from "./bytes.js";

const MOST = 1000;

/** Prepares the dialog; `connect` opens the address of a device. */
export function prepareDevices(about, connect) {
    const dialog = byId("devices-dialog");
    const button = byId("discover");
    const list = byId("device-list");
    let running = null;

    byId("open-devices").hidden = !about.canDiscover;
    byId("open-devices").addEventListener("click", () => {
        dialog.showModal();
        if (list.childElementCount === 0) {
            search();
        }
    });
    button.addEventListener("click", () => running ? running.abort() : search());
    dialog.addEventListener("close", () => running?.abort());

    async function search() {
        const controller = new AbortController();
        const seconds = Math.min(30, Math.max(1, Number(byId("discover-seconds").value) || 3));
        let count = 0;
        running = controller;
        button.textContent = "Stop";
        list.replaceChildren();
        clearProblem("discover-alert");
        byId("discover-state").textContent = "Listening…";
        try {
            await follow("discover", { seconds }, event => {
                if (event.kind === "device") {
                    count++;
                    byId("discover-state").textContent = `${count} ${count === 1 ? "device" : "devices"} so far…`;
                    if (count <= MOST) {
                        list.append(device(event));
                    }
                } else if (event.kind === "error") {
                    showProblem(event, "discover-alert");
                }
            }, { signal: controller.signal });
        } catch (error) {
            if (error.name !== "AbortError") {
                showProblem(error, "discover-alert");
            }
        }

        running = null;
        button.textContent = "Search again";
        byId("discover-state").textContent = count === 0 ? "No device answered."
            : `${count} ${count === 1 ? "device" : "devices"} answered.`;
    }

    function device(event) {
        const address = String(event.address);
        return el("li", {}, el("button", {
            type: "button", class: "entry", data: { testid: "device" }, on: {
                click: () => {
                    dialog.close();
                    connect(address);
                },
            },
        },
        el("span", { class: "entry-main device" }, shown(event.name || address, 120)),
        el("span", { class: "entry-note muted device" },
            [event.name ? shown(address, 120) : null, event.links === undefined || event.links === null ? null : `${event.links} resources`,
                timeText(event.elapsedMs)].filter(Boolean).join(" · "))));
    }
}

/** Fills a list of addresses that can be opened and removed. */
export function fillEntries(list, entries, emptyText) {
    fill(list, entries.length === 0 ? el("li", { class: "muted empty" }, emptyText) : entries.map(entryRow));
}

function entryRow(entry) {
    const badge = entry.badge ? el("span", { class: "method-badge", data: { method: entry.badge } }, entry.badge) : null;
    return el("li", { class: "with-remove" },
        el("button", { type: "button", class: "entry", data: { testid: entry.testid }, on: { click: entry.open } },
            el("span", { class: "entry-main" }, badge, shown(entry.text, 300)),
            entry.note ? el("span", { class: "entry-note muted" }, shown(entry.note, 200)) : null),
        entry.remove ? el("button", {
            type: "button", class: "quiet square", "aria-label": "Remove " + shown(entry.text, 100), on: { click: entry.remove },
        }, icon("close")) : null);
}
