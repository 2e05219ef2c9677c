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
        this.offset = 0;
        this.response = null;
        this.note = null;
        this.tag = null;
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
        this.parts = whole > 0 ? [join(this.parts).subarray(0, whole)] : [];
        this.offset = whole;
        this.response = null;
        this.failed = false;
        return { ...this.body, offset: whole };
    }

    // The server may send the bytes along with the progress.
    progress(event) {
        if (!event.upload && typeof event.base64 === "string") {
            this.parts.push(fromBase64(event.base64));
        }
    }

    fail(event) {
        this.failed = true;
        if (typeof event.partial === "string") {
            const partial = fromBase64(event.partial);
            this.parts = [...(this.offset > 0 ? [join(this.parts).subarray(0, this.offset)] : []), partial];
            this.tag = tagOf(event) ?? this.tag;
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

        const before = join(this.parts).subarray(0, this.offset);
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
