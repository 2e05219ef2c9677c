// The bytes of one message, and what each of them means; both light up together.

import { el, shown } from "./dom.js";
import { byteHex, fromHex } from "./bytes.js";

const WIDTH = 16;

/** Builds the bytes and the fields of a message; of a large one, these are the first bytes only. */
export function messageBytes(hex, fields, size) {
    const bytes = fromHex(hex) ?? new Uint8Array();
    const count = bytes.length;
    const owners = ownersOf(fields, count);
    const explanation = el("p", { class: "explanation device", "aria-live": "polite", data: { testid: "byte-explanation" } },
        "Point at a byte or a field, or move through them with the arrow keys.");
    const cells = [];
    const grid = el("div", {
        class: "bytes mono", role: "group", data: { testid: "bytes" },
        "aria-label": `${count} bytes; the arrow keys move through them`,
    });
    for (let index = 0; index < count; index++) {
        cells.push(el("span", {
            class: "byte", role: "img", tabIndex: index === 0 ? 0 : -1, data: { index, testid: "byte" },
            "aria-label": `Byte ${index}: ${byteHex(bytes[index])}`,
        }, byteHex(bytes[index])));
    }

    grid.append(...cells);
    const items = fields.map((field, index) => {
        const item = el("li", {
            class: "field-row level-" + Math.max(0, Math.min(4, Number(field.level) || 0)), tabIndex: index === 0 ? 0 : -1,
            data: { index, testid: "field" },
        }, el("span", { class: "mono muted" }, rangeText(field)), el("span", { class: "device" }, shown(field.text)));
        return item;
    });
    const list = el("ul", { class: "fields", "aria-label": "Fields of the message", data: { testid: "fields" } }, items);
    let lit = [];

    function show(fieldIndex, byteIndex) {
        lit.forEach(element => element.classList.remove("lit", "exact"));
        const field = fields[fieldIndex];
        lit = [];
        if (field) {
            lit = cells.slice(field.offset, Math.min(field.offset + field.length, count));
            lit.push(items[fieldIndex]);
            lit.forEach(element => element.classList.add("lit"));
        }

        if (byteIndex !== null && cells[byteIndex]) {
            lit.push(cells[byteIndex]);
            cells[byteIndex].classList.add("exact");
        }

        const place = byteIndex === null ? "" : `Byte ${byteIndex}, 0x${byteHex(bytes[byteIndex])}: `;
        explanation.textContent = place + (field ? shown(field.text) : "nothing is known of this byte");
    }

    wire(grid, ".byte", cells, index => show(owners[index], index), WIDTH);
    wire(list, ".field-row", items, index => show(index, null), 1);
    const rest = size > count ? el("p", { class: "muted" }, `${size - count} more bytes are not shown here.`) : null;
    return el("div", { class: "message-bytes" }, explanation, el("div", { class: "bytes-and-fields" }, el("div", {}, grid, rest), list));
}

// Hovering and focusing show the same; arrows move the focus within a group that is one stop of the Tab key.
function wire(group, selector, elements, show, step) {
    const indexOf = event => {
        const found = event.target.closest(selector);
        return found ? Number(found.dataset.index) : -1;
    };
    const react = event => {
        const index = indexOf(event);
        if (index >= 0) {
            show(index);
        }
    };
    group.addEventListener("pointerover", react);
    group.addEventListener("focusin", react);
    group.addEventListener("keydown", event => {
        const at = indexOf(event);
        const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: step, ArrowUp: -step, Home: -at, End: elements.length - 1 - at };
        const next = at + moves[event.key];
        if (at >= 0 && event.key in moves) {
            event.preventDefault();
            if (elements[next]) {
                elements[at].tabIndex = -1;
                elements[next].tabIndex = 0;
                elements[next].focus();
            }
        }
    });
}

// The deepest field that holds a byte explains it.
function ownersOf(fields, count) {
    const owners = new Int32Array(count).fill(-1);
    const depths = new Float64Array(count).fill(-1);
    fields.forEach((field, index) => {
        const end = Math.min(field.offset + field.length, count);
        for (let byte = Math.max(0, field.offset); byte < end; byte++) {
            if (field.level >= depths[byte]) {
                depths[byte] = field.level;
                owners[byte] = index;
            }
        }
    });
    return owners;
}

function rangeText(field) {
    return field.length === 0 ? "" : field.length > 1 ? `${field.offset}–${field.offset + field.length - 1}` : String(field.offset);
}
