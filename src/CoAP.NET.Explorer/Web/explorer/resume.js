// A transfer that can go on where it broke off.

import { ask } from "./api.js";
import { fromBase64, join, sizeText, toHex } from "./bytes.js";

const ETAG = 4;
const OK = new Set(["2.05", "2.04", "2.01"]);

export class Resumption {
    constructor(body, file) {
        this.body = body;
        this.file = file;
        this.parts = [];
        this.before = null;
        this.offset = 0;
        this.response = null;
        this.note = null;
        this.tag = null;
        this.seen = null;
        this.failed = false;
    }

    /** How many bytes are here. */
    get received() {
        return this.parts.reduce((sum, part) => sum + part.length, 0);
    }

    /** Whether going on makes sense: something is here, and the answer is not. */
    get canGoOn() {
        return this.response === null && this.received >= this.block;
    }

    get block() {
        return this.body.blockSize ?? 1024;
    }

    /** Returns the request for what is missing; it starts at the beginning of a block. */
    next() {
        const whole = Math.floor(this.received / this.block) * this.block;
        this.before = join(this.parts).subarray(0, whole);
        this.parts = whole > 0 ? [this.before] : [];
        this.offset = whole;
        this.response = null;
        this.failed = false;
        this.tag = whole > 0 ? this.seen : null;
        this.seen = null;
        return { ...this.body, offset: whole };
    }

    /** Takes a part of the body; one that begins further in front replaces what came behind it. */
    data(event) {
        if (event.offset < this.received) {
            const kept = join(this.parts).subarray(0, event.offset);
            this.parts = kept.length > 0 ? [kept] : [];
        }

        if (event.offset === this.received) {
            this.parts.push(fromBase64(event.base64));
        }
    }

    /** Learns the entity tag of the body from the messages, as a transfer that breaks off has no response. */
    wire(event) {
        if (event.outbound === false) {
            this.seen = tagOf(event.message ?? {}) ?? this.seen;
        }
    }

    /** Takes what an error carries of the body. */
    fail(event) {
        this.failed = true;
        if (typeof event.partial === "string") {
            this.data({ offset: this.offset, base64: event.partial });
        }
    }

    finish(event) {
        this.response = event;
    }

    /** Returns the response; behind an earlier part, with the payload of both. */
    async joined() {
        const response = this.response;
        this.note = null;
        if (this.offset === 0 || !OK.has(response.code)) {
            return response;
        }

        const tag = tagOf(response);
        if (this.tag !== null && tag !== null && tag !== this.tag) {
            this.note = "The resource changed in between (its ETag is another); only the second part is shown. Send the request again.";
            return response;
        }

        const before = this.before;
        const bytes = join([before, fromBase64(response.payload?.base64)]);
        this.note = `Joined of two parts: ${sizeText(before.length)} that were here, and the rest behind them.`;
        return { ...response, payload: await describe(response, bytes) };
    }
}

function tagOf(event) {
    const tag = (event.options ?? []).find(option => option.number === ETAG);
    return tag ? tag.hex ?? tag.value : null;
}

// What the server said of the second part alone means nothing for the whole.
async function describe(response, bytes) {
    const payload = { length: bytes.length, bytes };
    const media = String(response.mediaType ?? "");
    try {
        payload.text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
        // It is no text.
    }

    if (/cbor/.test(media)) {
        delete payload.text;
        try {
            const known = await ask("convert", { payload: { kind: "hex", value: toHex(bytes) } });
            payload.notation = known.notation;
            payload.json = known.json;
        } catch {
            // The bytes still stand in the hex dump.
        }
    }

    return payload;
}
