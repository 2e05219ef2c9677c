// Numbers in notifications, and their export as CSV.

import { csvCell, numberOf } from "./bytes.js";

const MOST_NAMES = 64;

/** Finds the numbers of a notification: pairs of a name and a number. */
export function numbersOf(response) {
    const payload = response.payload ?? {};
    if (Array.isArray(payload.senml)) {
        return payload.senml.slice(0, MOST_NAMES).filter(record => typeof record.value === "number" && Number.isFinite(record.value))
            .map(record => [String(record.name || "value"), record.value]);
    }

    const text = payload.text ?? payload.json ?? payload.notation;
    if (typeof text !== "string" || text.length > 100_000) {
        return [];
    }

    const number = numberOf(text);
    if (number !== null) {
        return Number.isFinite(number) ? [["value", number]] : [];
    }

    return /^\s*\{/.test(text) ? membersOf(text) : [];
}

// The numbers of a flat JSON object are series too.
function membersOf(text) {
    try {
        return Object.entries(JSON.parse(text)).filter(([, value]) => Number.isFinite(value)).slice(0, MOST_NAMES);
    } catch {
        return [];
    }
}

/** Returns one line of what a notification says. */
export function previewOf(response, longest = 200) {
    const payload = response.payload ?? {};
    if (Array.isArray(payload.senml) && payload.senml.length > 0) {
        // The value first: a row of a phone has no room for more than the name.
        const words = payload.senml.slice(0, 8)
            .map(({ name, value, unit }) => [value, unit, name].filter(part => (part ?? "") !== "").join(" "));
        return words.join(", ").slice(0, longest);
    }

    const text = payload.text ?? payload.notation;
    return typeof text === "string" ? text.slice(0, longest) : payload.length > 0 ? `${payload.length} bytes` : "";
}

/** Writes the numbers of a plot as CSV. */
export function valuesCsv(plot) {
    const names = [...plot.series.keys()];
    const columns = [...plot.series.values()];
    const lines = [["time", ...names].map(csvCell).join(",")];
    for (let row = 0; row < plot.times.length; row++) {
        lines.push([new Date(plot.times[row] * 1000).toISOString(), ...columns.map(column => column[row])].map(csvCell).join(","));
    }

    return lines.join("\r\n") + "\r\n";
}

/** Writes notifications as CSV. */
export function notificationsCsv(notifications) {
    const lines = ["time,code,observe,payload"];
    for (const { time, response } of notifications) {
        const payload = response.payload ?? {};
        lines.push([time, response.code, response.observe, payload.text ?? payload.notation ?? payload.base64].map(csvCell).join(","));
    }

    return lines.join("\r\n") + "\r\n";
}
