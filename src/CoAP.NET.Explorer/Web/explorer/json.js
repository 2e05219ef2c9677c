// A tree of JSON that opens and closes; branches are built when they are opened first.

import { el, fill, shown } from "./dom.js";

const CHILDREN_AT_ONCE = 200;
const OPEN_AT_START = 40;

/** A number whose text is not that of its double, such as 5.0, 1e400 and integers beyond 2^53. */
class NumberText {
    constructor(text) {
        this.text = text;
    }
}

/** Parses JSON; undefined if it is none. Numbers keep the text in which they were sent. */
export function parseJson(text) {
    try {
        return JSON.parse(text, (key, value, context) => typeof value === "number" && context?.source !== undefined
            && context.source !== String(value) ? new NumberText(context.source) : value);
    } catch {
        return undefined;
    }
}

/** Builds the tree of a value. */
export function jsonTree(value) {
    const list = el("ul", { class: "json mono", data: { testid: "json-tree" } });
    list.append(item(null, value, 0));
    return list;
}

function item(key, value, depth) {
    const name = key === null ? null
        : el("span", { class: typeof key === "number" ? "json-index" : "json-key device" }, shown(key, 200), ": ");
    if (value === null || typeof value !== "object" || value instanceof NumberText) {
        return el("li", {}, el("span", { class: "json-leaf" }, name, leaf(value)));
    }

    const array = Array.isArray(value);
    const count = array ? value.length : Object.keys(value).length;
    const words = array ? `[ ${count} ]` : `{ ${count} }`;
    if (count === 0) {
        return el("li", {}, el("span", { class: "json-leaf" }, name, el("span", { class: "muted" }, array ? "[ ]" : "{ }")));
    }

    const list = el("ul");
    const details = el("details", {}, el("summary", {}, name, el("span", { class: "muted" }, words)), list);
    const build = () => {
        if (list.childElementCount === 0) {
            grow(list, array ? value.map((child, index) => [index, child]) : Object.entries(value), 0, depth + 1);
        }
    };
    if (depth < 3 && count <= OPEN_AT_START) {
        build();
        details.open = true;
    } else {
        details.addEventListener("toggle", build, { once: true });
    }

    return el("li", {}, details);
}

function grow(list, entries, start, depth) {
    const end = Math.min(entries.length, start + CHILDREN_AT_ONCE);
    for (const [key, value] of entries.slice(start, end)) {
        list.append(item(key, value, depth));
    }

    if (end < entries.length) {
        const more = el("li");
        fill(more, el("button", {
            type: "button", class: "more", on: {
                click: () => {
                    more.remove();
                    grow(list, entries, end, depth);
                },
            },
        }, `Show more (${entries.length - end} left)`));
        list.append(more);
    }
}

function leaf(value) {
    if (value instanceof NumberText) {
        return el("span", { class: "json-number device" }, shown(value.text, 2000));
    }

    switch (typeof value) {
        case "string": return el("span", { class: "json-string device" }, '"' + shown(value, 2000) + '"');
        case "number": return el("span", { class: "json-number" }, String(value));
        default: return el("span", { class: "json-word" }, String(value));
    }
}
