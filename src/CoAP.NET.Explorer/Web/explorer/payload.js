// Views of a payload. What a device sends is only ever text, or a picture of one of four kinds out of memory.

import { el, fill, shown } from "./dom.js";
import { countText, download, fromBase64, hexDump, sizeText } from "./bytes.js";
import { jsonTree, parseJson } from "./json.js";
import { makeTabs } from "./tabs.js";

const TEXT_AT_ONCE = 200_000;
const HEX_AT_ONCE = 16 * 512;
const ROWS_AT_ONCE = 500;
const PICTURES = [
    { type: "image/png", extension: "png", magic: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
    { type: "image/jpeg", extension: "jpg", magic: [0xff, 0xd8, 0xff] },
    { type: "image/gif", extension: "gif", magic: [0x47, 0x49, 0x46, 0x38] },
    { type: "image/webp", extension: "webp", magic: [0x52, 0x49, 0x46, 0x46], second: [0x57, 0x45, 0x42, 0x50] },
];
const EXTENSIONS = [[/json/, "json"], [/cbor/, "cbor"], [/^text\//, "txt"], [/xml/, "xml"]];

let number = 0;

/** Shows a payload in tabs by what there is. `place` takes them; `release()` frees what it holds. */
export class PayloadView {
    constructor(place) {
        this.place = place;
        this.address = null;
    }

    release() {
        if (this.address) {
            URL.revokeObjectURL(this.address);
            this.address = null;
        }
    }

    /** Shows the payload of a response; `note` tells of parts that were joined. */
    show(response, note = null) {
        this.release();
        const payload = response.payload ?? { length: 0 };
        const bytes = payload.bytes ?? fromBase64(payload.base64);
        if (bytes.length === 0) {
            fill(this.place, el("p", { class: "muted empty" }, "The answer has no payload."));
            return;
        }

        const views = this.views(response, payload, bytes);
        const base = "payload-" + ++number;
        const list = el("div", { class: "tabs small", role: "tablist", "aria-label": "Payload as" });
        const panels = [];
        views.forEach((view, index) => {
            const id = `${base}-${view.id}`;
            list.append(el("button", {
                id: id + "-tab", role: "tab", type: "button", "aria-controls": id, "aria-selected": String(index === 0),
                tabIndex: index === 0 ? 0 : -1, data: { testid: "view-tab-" + view.id },
            }, view.label));
            panels.push(el("div", {
                id, role: "tabpanel", class: "payload-panel", hidden: index !== 0, tabIndex: 0, "aria-labelledby": id + "-tab",
                data: { testid: "view-" + view.id },
            }));
        });

        // Each view is built when it is looked at first.
        const built = new Set();
        const build = id => {
            const index = views.findIndex(view => `${base}-${view.id}-tab` === id);
            if (!built.has(index)) {
                built.add(index);
                fill(panels[index], views[index].build());
            }
        };
        const save = el("button", {
            type: "button", class: "quiet", data: { testid: "payload-download" }, on: { click: () => saveFile(response, bytes) },
        }, "Download");
        fill(this.place,
            el("div", { class: "payload-head" }, el("h3", {}, "Payload"), el("span", { class: "muted", data: { testid: "payload-length" } },
                sizeText(bytes.length)), save),
            note ? el("p", { class: "note" }, note) : null,
            payload.problem ? el("p", { class: "warning", data: { testid: "payload-problem" } },
                shown([payload.problem.title, payload.problem.detail].filter(Boolean).join(": "))) : null,
            list, panels);
        makeTabs(list, build);
        build(`${base}-${views[0].id}-tab`);
    }

    views(response, payload, bytes) {
        const views = [];
        const media = String(response.mediaType ?? "").toLowerCase();
        const picture = pictureOf(media, bytes);
        if (picture) {
            views.push({ id: "image", label: "Image", build: () => this.picture(bytes, picture) });
        }

        if (Array.isArray(payload.senml) && payload.senml.length > 0) {
            views.push({ id: "senml", label: "SenML", build: () => senmlTable(payload.senml) });
        }

        // The notation shows everything that CBOR has; JSON does not.
        if (typeof payload.notation === "string") {
            views.push({ id: "cbor", label: "CBOR", build: () => longText(payload.notation) });
        }

        const text = payload.json ?? (/json/.test(media) ? payload.text : undefined);
        const value = text === undefined ? undefined : parseJson(text);
        if (value !== undefined) {
            views.push({ id: "json", label: "JSON", build: () => jsonTree(value) });
        }

        if (typeof payload.text === "string") {
            views.push({ id: "text", label: "Text", build: () => longText(payload.text) });
        }

        views.push({ id: "hex", label: "Hex", build: () => hexView(bytes) });
        return views;
    }

    picture(bytes, picture) {
        this.address = URL.createObjectURL(new Blob([bytes], { type: picture.type }));
        const size = el("span", { class: "muted" });
        const image = el("img", { class: "picture", alt: "The picture in the payload", data: { testid: "payload-picture" } });
        image.addEventListener("load", () => size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`);
        image.addEventListener("error", () => size.textContent = "The browser cannot show this picture.");
        image.src = this.address;
        return el("figure", {}, image, el("figcaption", {}, size));
    }
}

// Both the media type and the first bytes have to say so; SVG is never a picture here.
function pictureOf(media, bytes) {
    const found = PICTURES.find(({ type }) => media.split(";")[0].trim() === type);
    const matches = found && found.magic.every((value, index) => bytes[index] === value)
        && (found.second ?? []).every((value, index) => bytes[8 + index] === value);
    return matches ? found : null;
}

function saveFile(response, bytes) {
    const media = String(response.mediaType ?? "").toLowerCase();
    const extension = PICTURES.find(({ type }) => media.startsWith(type))?.extension
        ?? EXTENSIONS.find(([pattern]) => pattern.test(media))?.[1] ?? "bin";
    download("payload." + extension, bytes, "application/octet-stream");
}

function longText(text) {
    let end = Math.min(text.length, TEXT_AT_ONCE);
    const block = el("pre", { class: "mono device" }, text.slice(0, end));
    return [block, moreButton(() => text.length - end, "characters", () => {
        const next = Math.min(text.length, end + TEXT_AT_ONCE);
        block.append(document.createTextNode(text.slice(end, next)));
        end = next;
    })];
}

function hexView(bytes) {
    let end = Math.min(bytes.length, HEX_AT_ONCE);
    const block = el("pre", { class: "mono hex" }, hexDump(bytes, 0, end));
    return [block, moreButton(() => bytes.length - end, "bytes", () => {
        const next = Math.min(bytes.length, end + HEX_AT_ONCE);
        block.append(document.createTextNode("\n" + hexDump(bytes, end, next)));
        end = next;
    })];
}

function moreButton(rest, what, more) {
    if (rest() <= 0) {
        return null;
    }

    const label = () => `Show more (${countText(rest())} ${what} left)`;
    const button = el("button", { type: "button", class: "more", data: { testid: "payload-more" } }, label());
    button.addEventListener("click", () => {
        more();
        button.textContent = label();
        button.hidden = rest() <= 0;
    });
    return button;
}

function senmlTable(records) {
    let end = 0;
    const body = el("tbody");
    const more = () => {
        const next = Math.min(records.length, end + ROWS_AT_ONCE);
        for (const record of records.slice(end, next)) {
            body.append(el("tr", {},
                el("td", { class: "device" }, shown(record.name)),
                el("td", { class: typeof record.value === "number" ? "number" : "device" }, shown(record.value)),
                el("td", { class: "device" }, shown(record.unit, 40)),
                el("td", { class: "nowrap" }, shown(record.time, 40))));
        }

        end = next;
    };
    more();
    return [el("div", { class: "table-box" }, el("table", {},
        el("caption", { class: "offscreen" }, "Records of SenML"),
        el("thead", {}, el("tr", {}, ["Name", "Value", "Unit", "Time"].map(name => el("th", { scope: "col" }, name)))), body)),
    moreButton(() => records.length - end, "records", more)];
}
