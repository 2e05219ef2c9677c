// The same request as code, with buttons that copy it.

import { ask } from "./api.js";
import { announce, el, fill, icon } from "./dom.js";
import { copyText } from "./bytes.js";

const KINDS = [
    { id: "csharp", title: "C#" },
    { id: "coap", title: "coap (this library's tool)" },
    { id: "coapClient", title: "coap-client (libcoap)" },
];

export class CodePanel {
    constructor(panel) {
        this.panel = panel;
    }

    /** Asks the server for the code of a request. */
    async show(request) {
        this.asking?.abort();
        const controller = new AbortController();
        this.asking = controller;
        try {
            const code = await ask("code", request, controller.signal);
            fill(this.panel, KINDS.map(({ id, title }) => this.block(id, title, String(code[id] ?? ""))));
        } catch (error) {
            if (error.name !== "AbortError") {
                fill(this.panel, el("p", { class: "warning" }, [error.title, error.detail, error.hint].filter(Boolean).join(" ")));
            }
        }
    }

    block(id, title, text) {
        const label = el("span", {}, "Copy");
        const button = el("button", { type: "button", class: "quiet", "aria-label": "Copy " + title, data: { testid: "copy-" + id } },
            icon("copy"), label);
        button.addEventListener("click", async () => {
            const done = await copyText(text);
            label.textContent = done ? "Copied" : "Select and copy";
            announce(done ? title + " is copied" : "The browser does not allow copying");
            setTimeout(() => label.textContent = "Copy", 1500);
        });
        return el("section", { class: "code-block" },
            el("div", { class: "payload-head" }, el("h3", {}, title), button),
            el("pre", { class: "mono", tabIndex: 0, data: { testid: "code-" + id } }, text));
    }
}
