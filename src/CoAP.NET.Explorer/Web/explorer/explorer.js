// The page: it joins the parts.

import { ApiError, ask, follow } from "./api.js";
import { AnswerPanel, clearProblem, progress, showProblem } from "./answer.js";
import { announce, byId, debounce, el, fill, shown } from "./dom.js";
import { countText, timeText } from "./bytes.js";
import { CodePanel } from "./code.js";
import { prepareDevices } from "./devices.js";
import { Editor } from "./editor.js";
import { Ladder } from "./ladder.js";
import { prepareBookmarks, prepareHistory, showBookmark } from "./lists.js";
import { ObservePanel } from "./observe.js";
import { Resumption } from "./resume.js";
import { Security } from "./security.js";
import { bookmarks, chooseTheme, history } from "./store.js";
import { makeTabs } from "./tabs.js";
import { ResourceTree } from "./tree.js";

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+/i;

class Explorer {
    constructor(about) {
        this.about = about;
        this.sending = null;
        this.resumption = null;
        this.editor = new Editor(about, () => this.codeSoon?.());
        this.security = new Security(about, () => this.refresh());
        this.tree = new ResourceTree(byId("tree"), {
            select: link => this.select(link),
            open: link => this.openLink(link),
            observe: link => this.observeLink(link),
        }, number => this.editor.formatName(number));
        this.answer = new AnswerPanel(byId("panel-answer"));
        this.ladder = new Ladder(byId("panel-wire"));
        this.code = new CodePanel(byId("panel-code"));
        this.observation = new ObservePanel(byId("panel-observe"), {
            open: (response, title) => {
                this.answer.show(response, { title });
                this.tabs.choose("tab-answer");
            },
            wire: event => this.ladder.add("observation", event),
            wireSkipped: count => this.ladder.skip("observation", count),
            problem: problem => showProblem(problem),
        });
        this.codeSoon = debounce(250, () => this.showCode());
        this.tabs = makeTabs(byId("answer-tabs"), id => this.tabChosen(id));
        this.bind();
    }

    bind() {
        byId("target-form").addEventListener("submit", event => {
            event.preventDefault();
            this.connect(byId("target").value);
        });
        byId("refresh").addEventListener("click", () => this.refresh());
        const filter = debounce(60, () => {
            this.tree.filter(byId("tree-filter").value);
            this.showCount();
        });
        byId("tree-filter").addEventListener("input", filter);
        byId("tree-filter").addEventListener("keydown", event => {
            if (event.key === "ArrowDown") {
                event.preventDefault();
                byId("tree").focus();
            }
        });
        byId("request-form").addEventListener("submit", event => {
            event.preventDefault();
            this.send();
        });
        byId("observe").addEventListener("click", () => this.observe());
        byId("cancel").addEventListener("click", () => this.cancel());
        byId("resume").addEventListener("click", () => this.resume());
        document.addEventListener("keydown", event => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !document.querySelector("dialog[open]")) {
                event.preventDefault();
                this.send();
            }
        });
        for (const dialog of document.querySelectorAll("dialog")) {
            dialog.querySelector(".close").addEventListener("click", () => dialog.close());
            dialog.addEventListener("click", event => {
                if (event.target === dialog) {
                    dialog.close();
                }
            });
        }

        byId("phone-tabs").addEventListener("click", event => {
            const part = event.target.closest("button")?.dataset.part;
            if (part) {
                this.showPart(part);
            }
        });
        byId("theme").addEventListener("click", () => {
            const dark = document.documentElement.dataset.theme
                ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
            const next = dark ? "light" : "dark";
            const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
            chooseTheme(next === system ? null : next);
            announce(`The ${next} theme is on`);
        });
        prepareBookmarks(address => this.connect(address));
        prepareHistory(entry => {
            this.editor.load(entry);
            this.showPart("request");
        });
        prepareDevices(this.about, address => this.connect(address));
    }

    /** Fills the page at its start. */
    start() {
        const { target, targets } = this.about;
        fill(byId("target-list"), [...new Set([...(targets ?? []), ...bookmarks.all()])].map(uri => el("option", { value: uri })));
        const first = target ?? targets?.[0];
        this.tabs.choose("tab-answer");
        if (first) {
            this.connect(first);
        } else {
            byId("target").focus();
        }
    }

    showPart(part) {
        byId("main").dataset.part = part;
        for (const button of byId("phone-tabs").querySelectorAll("button")) {
            button.setAttribute("aria-pressed", String(button.dataset.part === part));
        }
    }

    tabChosen(id) {
        if (id === "tab-wire") {
            this.ladder.draw();
        } else if (id === "tab-observe") {
            this.observation.ask();
        } else if (id === "tab-code") {
            this.showCode();
        }
    }

    protection() {
        return this.security.current(this.editor.uri());
    }

    showCode() {
        if (this.tabs.chosen() === "tab-code") {
            this.code.show(this.editor.request(this.protection()).body);
        }
    }

    /** Opens an address: that of a device, or a whole URI, which then stands in the request too. */
    async connect(text) {
        let uri = text.trim();
        if (uri !== "" && !uri.includes("://")) {
            uri = "coap://" + uri;
        }

        const base = AUTHORITY.exec(uri)?.[0];
        if (!base) {
            const hint = "Write, for instance, coap://192.0.2.1 or coap://[2001:db8::1]:5683.";
            showProblem({ title: "This is not the address of a device", hint });
            byId("target").focus();
            return;
        }

        this.base = base;
        this.security.show(base);
        this.editor.base = base;
        const rest = uri.slice(base.length);
        byId("target").value = rest === "/" ? base : uri;
        showBookmark();
        this.editor.set("GET", rest.length > 1 ? uri : base + "/.well-known/core");
        await this.refresh();
    }

    async refresh() {
        if (!this.base) {
            return;
        }

        this.showCode();
        this.loading?.abort();
        const controller = new AbortController();
        this.loading = controller;
        clearProblem("tree-alert");
        byId("tree").setAttribute("aria-busy", "true");
        byId("tree-count").textContent = "Reading…";
        try {
            const answer = await ask("resources", { target: this.base, security: this.security.current(this.base) }, controller.signal);
            this.tree.setLinks(answer.links ?? [], this.base);
            this.elapsed = answer.elapsedMs;
            this.showCount();
        } catch (error) {
            if (error.name === "AbortError") {
                return;
            }

            this.tree.setLinks([], this.base);
            byId("tree-count").textContent = "";
            showProblem(error, "tree-alert");
            announce(error.title);
        }

        byId("tree").removeAttribute("aria-busy");
    }

    showCount() {
        const { found, total } = this.tree;
        byId("tree-count").textContent = found === total ? `${countText(total)}` + (this.elapsed ? ` · ${timeText(this.elapsed)}` : "")
            : `${countText(found)} of ${countText(total)}`;
    }

    // A phone then shows the request, which it would otherwise hide.
    select(link) {
        this.editor.set("GET", link.uri);
        this.showPart("request");
    }

    openLink(link) {
        this.editor.set("GET", link.uri);
        this.send();
    }

    observeLink(link) {
        this.editor.set("GET", link.uri);
        this.observe();
    }

    /** Sends the request of the editor. */
    async send() {
        clearProblem();
        if (!this.editor.valid()) {
            this.showPart("request");
            return;
        }

        const { body, file } = this.editor.request(this.protection());
        this.resumption = new Resumption(body, file);
        await this.run();
    }

    async resume() {
        if (this.resumption) {
            await this.run();
        }
    }

    async run() {
        const resumption = this.resumption;
        const request = resumption.next();
        this.sending?.abort();
        const controller = new AbortController();
        this.sending = controller;
        this.began(request);
        let code = "failed";
        try {
            await follow("request", request, event => {
                // The page already shows another request when lines of this one still come.
                if (this.sending === controller) {
                    code = this.take(event, resumption) ?? code;
                }
            }, { signal: controller.signal, file: resumption.file });
            if (this.sending === controller && !resumption.response && !resumption.failed) {
                throw new ApiError({ title: "The stream ended without an answer", hint: "Look at the server of this page." }, 0);
            }

            if (this.sending === controller && resumption.response) {
                const response = await resumption.joined();
                this.answer.show(response, { note: resumption.note });
                announce(`Answer ${shown(response.code, 8)} ${shown(response.name, 40)}`);
                progress.done();
            }
        } catch (error) {
            code = error.name === "AbortError" ? "cancelled" : code;
            if (this.sending === controller) {
                this.failed(error);
            }
        }

        history.add(request, code);
        if (this.sending === controller) {
            this.sending = null;
            byId("cancel").disabled = true;
            byId("send").removeAttribute("aria-busy");
            if (resumption.canGoOn) {
                progress.offer(resumption.received);
            }
        }
    }

    began(request) {
        clearProblem();
        progress.start();
        byId("cancel").disabled = false;
        byId("send").setAttribute("aria-busy", "true");
        this.ladder.start("request");
        this.answer.clear(`${request.method} ${shown(request.uri, 200)} is under way…`);
        if (this.tabs.chosen() !== "tab-wire") {
            this.tabs.choose("tab-answer");
        }

        this.showPart("answer");
    }

    take(event, resumption) {
        switch (event.kind) {
            case "wire":
                this.ladder.add("request", event);
                resumption.wire(event);
                return null;
            case "wireSkipped":
            case "dropped":
                this.ladder.skip("request", event.count);
                return null;
            case "data":
                resumption.data(event);
                return null;
            case "progress":
                progress.show(event, resumption.offset);
                return null;
            case "response":
                resumption.finish(event);
                return event.code;
            case "error":
                resumption.fail(event);
                progress.stop("; it broke off");
                showProblem(event);
                this.answer.clear("There is no answer.");
                return null;
            default:
                return null;
        }
    }

    failed(error) {
        progress.stop("; stopped");
        if (error.name === "AbortError") {
            this.answer.clear("The request is cancelled.");
            announce("The request is cancelled");
        } else {
            showProblem(error);
            this.answer.clear("There is no answer.");
        }
    }

    cancel() {
        this.sending?.abort();
    }

    observe() {
        clearProblem();
        if (!this.editor.valid()) {
            this.showPart("request");
            return;
        }

        const { body, file } = this.editor.request(this.protection());
        if (body.method !== "GET" && body.method !== "FETCH") {
            const detail = `${body.method} asks for a change; only what is read can be observed.`;
            showProblem({ title: "This method cannot observe", detail, hint: "Choose GET or FETCH." });
            this.showPart("answer");
            return;
        }

        this.ladder.start("observation");
        this.tabs.choose("tab-observe");
        this.showPart("answer");
        history.add(body, "observe");
        this.observation.start(body, file);
    }
}

async function main() {
    try {
        const explorer = new Explorer(await ask("about", {}));
        // Until here the start would replace what somebody types.
        document.body.inert = false;
        explorer.start();
    } catch (error) {
        document.body.inert = false;
        showProblem(error.title ? error : { title: "The page did not start", detail: String(error.message) });
        throw error;
    }
}

main();
