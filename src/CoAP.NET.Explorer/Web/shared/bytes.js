// Bytes, numbers and files.

/** Reads Base64. */
export function fromBase64(text) {
    const raw = atob(text ?? "");
    const bytes = new Uint8Array(raw.length);
    for (let index = 0; index < raw.length; index++) {
        bytes[index] = raw.charCodeAt(index);
    }

    return bytes;
}

/** Writes Base64. */
export function toBase64(bytes) {
    const parts = [];
    for (let start = 0; start < bytes.length; start += 0x8000) {
        parts.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)));
    }

    return btoa(parts.join(""));
}

/** Reads hexadecimal digits, with or without 0x, blanks and colons; null if it is something else. */
export function fromHex(text) {
    const digits = text.trim().replace(/^0x/i, "").replace(/[\s:]/g, "");
    if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) {
        return null;
    }

    return Uint8Array.from(digits.match(/../g) ?? [], pair => parseInt(pair, 16));
}

export const byteHex = value => value.toString(16).padStart(2, "0");

/** Writes hexadecimal digits. */
export function toHex(bytes, separator = "") {
    return Array.from(bytes, byteHex).join(separator);
}

/** Joins parts of bytes. */
export function join(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
        all.set(part, offset);
        offset += part.length;
    }

    return all;
}

/** Returns the lines of a hex dump: offset, 16 bytes, and the printable characters. */
export function hexDump(bytes, start, end) {
    const lines = [];
    for (let offset = start; offset < end; offset += 16) {
        const row = bytes.subarray(offset, Math.min(offset + 16, end));
        const left = toHex(row.subarray(0, 8), " ");
        const right = toHex(row.subarray(8), " ");
        const text = Array.from(row, value => value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·").join("");
        lines.push(`${offset.toString(16).padStart(6, "0")}  ${left.padEnd(23)}  ${right.padEnd(23)}  ${text}`);
    }

    return lines.join("\n");
}

/** Says how many bytes there are. */
export function sizeText(length) {
    if (length < 1024) {
        return length === 1 ? "1 byte" : `${length} bytes`;
    }

    const units = ["KiB", "MiB", "GiB"];
    let value = length / 1024;
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }

    return `${value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** Says how long something took. */
export function timeText(milliseconds) {
    if (!Number.isFinite(milliseconds)) {
        return "";
    }

    return milliseconds < 1000 ? `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/** Says a number with groups of digits. */
export const countText = count => count.toLocaleString("en-US");

/** Gives a file to the user. */
export function download(name, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Copies text to the clipboard; false if the browser does not allow it. */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Without a secure context only the old way is left.
        const field = document.createElement("textarea");
        field.value = text;
        field.className = "offscreen";
        document.body.append(field);
        field.select();
        const done = document.execCommand("copy");
        field.remove();
        return done;
    }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Returns the number that a text is, or null. */
export function numberOf(text) {
    const trimmed = String(text).trim();
    return trimmed.length < 64 && NUMBER.test(trimmed) ? Number(trimmed) : null;
}

/** Writes one cell of CSV; a spreadsheet must not take what a device says for a formula. */
export function csvCell(value) {
    let text = value === null || value === undefined ? "" : String(value);
    if (/^[\s]*[=+\-@]|^[\t\r\n]/.test(text) && numberOf(text) === null) {
        text = "'" + text;
    }

    return /[",\r\n;]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
