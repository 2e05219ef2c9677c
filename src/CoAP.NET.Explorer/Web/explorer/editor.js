// The editor of a request.

import { ask } from "./api.js";
import { byId, debounce, el, fill } from "./dom.js";
import { fromHex, hexDump, sizeText } from "./bytes.js";
import { OptionRows } from "./options.js";

const CONTENT_FORMAT = 12;
const ACCEPT = 17;
const SIZES = [16, 32, 64, 128, 256, 512, 1024];
const PREVIEWED = 128;
const KINDS = [
    { kind: "none", label: "None", format: null, note: "" },
    { kind: "text", label: "Text", format: 0, note: "The text goes out as UTF-8." },
    { kind: "json", label: "JSON", format: 50, note: "The JSON is sent exactly as it is here." },
    { kind: "cbor", label: "CBOR", format: 60, note: "Diagnostic notation or JSON becomes CBOR, for instance {1: h'0102', \"on\": true}." },
    { kind: "senml", label: "SenML", format: 110, note: "SenML as JSON; with the content format of SenML in CBOR it becomes CBOR." },
    { kind: "hex", label: "Hex", format: 42, note: "Pairs of hexadecimal digits; blanks do no harm." },
    { kind: "file", label: "File", format: 42, note: "The file goes out in blocks." },
];

export class Editor {
    constructor(about, onChange) {
        this.about = about;
        this.onChange = onChange;
        this.base = "";
        this.kind = "none";
        this.formats = new Map(about.formats.map(format => [format.number, format.name]));
        this.formatChosen = false;
        fill(byId("method"), about.methods.map(method => el("option", { value: method }, method)));
        fill(byId("format-list"), about.formats.map(format => el("option", { value: format.name }, String(format.number))));
        fill(byId("block-size"), el("option", { value: "" }, "default"), SIZES.map(size => el("option", { value: size }, `${size} bytes`)));
        this.options = new OptionRows(byId("option-rows"), about.options.filter(option => option.number !== CONTENT_FORMAT
            && option.number !== ACCEPT), () => onChange());
        byId("option-add").addEventListener("click", () => this.options.add());
        fill(byId("payload-kinds"), KINDS.map(({ kind, label }) => el("label", {},
            el("input", {
                type: "radio", name: "payload-kind", value: kind, checked: kind === "none", data: { testid: "payload-kind-" + kind },
            }),
            el("span", {}, label))));
        byId("payload-kinds").addEventListener("change", event => this.setKind(event.target.value));
        byId("payload-text").addEventListener("input", () => this.previewSoon());
        byId("payload-file").addEventListener("change", () => this.previewSoon());
        byId("content-format").addEventListener("input", () => {
            this.formatChosen = byId("content-format").value.trim() !== "";
            this.previewSoon();
            this.previewSoon();
        });
        this.convertSoon = debounce(300, () => this.convert());
        for (const name of ["accept", "content-format", "timeout", "uri"]) {
            byId(name).addEventListener("change", () => setTimeout(() => this.validate(name), 200));
        }

        byId("request-form").addEventListener("input", () => onChange());
        byId("method").addEventListener("change", () => this.showMethod());
        this.showMethod();
    }

    formatName(number) {
        return this.formats.get(number) ?? "format " + number;
    }

    // The colour of the method is one of the page's own classes.
    showMethod() {
        byId("method").dataset.method = byId("method").value;
    }

    /** Sets method and URI; a URI of the device that is open is written as its path. */
    set(method, uri) {
        const near = this.base !== "" && uri.startsWith(this.base + "/");
        byId("method").value = method;
        byId("uri").value = near ? uri.slice(this.base.length) : uri;
        this.showMethod();
        this.validate("uri");
        this.onChange();
    }

    /** Fills the editor with a request of the history. */
    load(entry) {
        this.set(this.about.methods.includes(entry.method) ? entry.method : "GET", entry.uri);
        byId("confirmable").checked = entry.confirmable !== false;
        byId("block-size").value = SIZES.includes(entry.blockSize) ? entry.blockSize : "";
        byId("timeout").value = entry.timeoutSeconds ?? "";
        this.options.clear();
        byId("accept").value = "";
        byId("content-format").value = "";
        this.formatChosen = false;
        for (const option of Array.isArray(entry.options) ? entry.options : []) {
            const field = { [CONTENT_FORMAT]: "content-format", [ACCEPT]: "accept" }[option.number];
            if (field) {
                byId(field).value = this.formats.get(Number(option.value)) ?? option.value;
                this.formatChosen ||= field === "content-format";
            } else {
                this.options.add(this.options.byNumber.get(option.number)?.name ?? String(option.number), String(option.value), false);
            }
        }

        const kind = entry.payload?.kind;
        byId("payload-text").value = entry.payload?.value ?? "";
        this.setKind(KINDS.some(known => known.kind === kind) ? kind : "none");
    }

    setKind(kind) {
        const { format, note } = KINDS.find(known => known.kind === kind);
        this.kind = kind;
        for (const radio of byId("payload-kinds").querySelectorAll("input")) {
            radio.checked = radio.value === kind;
        }

        byId("payload-area").hidden = kind === "none";
        byId("payload-file-box").hidden = kind !== "file";
        byId("payload-text").hidden = kind === "file";
        byId("payload-note").textContent = note;
        if (!this.formatChosen) {
            byId("content-format").value = format === null ? "" : this.formats.get(format) ?? String(format);
        }

        this.previewSoon();
        this.onChange();
    }

    /** Reads the number of a content format from a name, a beginning of a name, or a number. */
    readFormat(id) {
        const text = byId(id).value.trim();
        if (text === "") {
            return { number: null };
        }

        if (/^\d+$/.test(text)) {
            return Number(text) <= 65535 ? { number: Number(text) } : { problem: "A content format is at most 65535." };
        }

        const name = text.toLowerCase();
        const found = this.about.formats.find(format => format.name.toLowerCase() === name)
            ?? this.about.formats.find(format => format.name.toLowerCase().split(";")[0] === name)
            ?? this.about.formats.find(format => format.name.toLowerCase().split(/[;/]/)[1] === name);
        return found ? { number: found.number } : { problem: "No content format has this name. A number works too." };
    }

    /** Returns the whole URI; a path stands for one at the device that is open. */
    uri() {
        const text = byId("uri").value.trim();
        return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : this.base + (text.startsWith("/") ? text : "/" + text);
    }

    problemOf(id) {
        if (id === "uri") {
            const uri = this.uri();
            const scheme = uri.split("://")[0].toLowerCase();
            return uri.startsWith("/") ? "Connect to a device first, or write a whole URI."
                : !this.about.schemes.includes(scheme) ? `The scheme is one of ${this.about.schemes.join(", ")}.`
                    : /\s/.test(uri) ? "A URI has no blanks; write %20."
                        : uri.includes("#") ? "The URI of a request has no fragment." : null;
        }

        if (id === "timeout") {
            const field = byId("timeout");
            return field.validity.valid ? null : "The timeout is from 0.1 to 3600 seconds.";
        }

        return this.readFormat(id).problem ?? null;
    }

    validate(id) {
        const problem = this.problemOf(id);
        byId("uri").title = this.uri();
        const place = byId(id + "-problem");
        place.hidden = problem === null;
        place.textContent = problem ?? "";
        byId(id).setAttribute("aria-invalid", String(problem !== null));
        return problem === null;
    }

    fileProblem() {
        const file = byId("payload-file").files[0];
        return !file ? "Choose the file to send."
            : file.size <= this.about.maxBody ? null
                : `This server takes ${sizeText(this.about.maxBody)} at most; the file has ${sizeText(file.size)}.`;
    }

    /** Checks everything, and puts the focus on what is wrong first. */
    valid() {
        const fields = ["uri", "accept", "content-format", "timeout"].map(id => this.validate(id));
        const options = this.options.validate(true);
        const file = this.kind === "file" ? this.fileProblem() : null;
        byId("payload-file").setAttribute("aria-invalid", String(file !== null));
        if (file !== null) {
            fill(byId("payload-preview"), el("span", { class: "problem" }, file));
        }

        if (fields.every(Boolean) && options && file === null) {
            return true;
        }

        byId("request-form").querySelector('[aria-invalid="true"]')?.focus();
        return false;
    }

    /** Returns the request as the server takes it, and the file that goes with it. */
    request(security) {
        const options = this.options.values();
        for (const [number, id] of [[CONTENT_FORMAT, "content-format"], [ACCEPT, "accept"]]) {
            const format = this.readFormat(id).number;
            if (format !== null && format !== undefined) {
                options.push({ number, value: String(format) });
            }
        }

        const timeout = byId("timeout").value;
        const file = this.kind === "file" ? byId("payload-file").files[0] ?? null : null;
        return {
            file,
            body: {
                method: byId("method").value,
                uri: this.uri(),
                confirmable: byId("confirmable").checked,
                options,
                payload: this.payload(file),
                blockSize: Number(byId("block-size").value) || null,
                offset: 0,
                timeoutSeconds: timeout === "" ? null : Number(timeout),
                security,
            },
        };
    }

    payload(file) {
        switch (this.kind) {
            case "none": return null;
            case "file": return file ? { kind: "file" } : null;
            default: return { kind: this.kind, value: byId("payload-text").value };
        }
    }

    previewSoon() {
        this.converting?.abort();
        if (this.kind === "none") {
            fill(byId("payload-preview"));
        } else if (this.kind === "file") {
            const file = byId("payload-file").files[0];
            fill(byId("payload-preview"), file ? `${file.name}: ${sizeText(file.size)}` : "No file is chosen.");
        } else {
            this.convertSoon();
        }
    }

    async convert() {
        const value = byId("payload-text").value;
        if (this.kind === "none" || this.kind === "file") {
            return;
        }

        const controller = new AbortController();
        this.converting = controller;
        const place = byId("payload-preview");
        try {
            const format = this.readFormat("content-format").number ?? null;
            const contentFormat = format === null ? null : String(format);
            const answer = await ask("convert", { payload: { kind: this.kind, value }, contentFormat }, controller.signal);
            const bytes = fromHex(answer.hex.slice(0, 2 * PREVIEWED)) ?? new Uint8Array();
            byId("payload-text").setAttribute("aria-invalid", "false");
            const dump = hexDump(bytes, 0, bytes.length) + (answer.length > PREVIEWED ? "\n…" : "");
            fill(place, el("span", { class: "muted" }, sizeText(answer.length)),
                bytes.length > 0 ? el("pre", { class: "mono", tabIndex: 0, "aria-label": "Bytes" }, dump) : null);
        } catch (error) {
            if (error.name !== "AbortError") {
                byId("payload-text").setAttribute("aria-invalid", "true");
                fill(place, el("span", { class: "problem" }, [error.title, error.detail, error.hint].filter(Boolean).join(" · ")));
            }
        }
    }
}
