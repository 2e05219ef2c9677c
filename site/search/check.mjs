// Asks the search of the built site what questions.md lists. Fails when a page is not among the first five answers.
import { rmSync } from "node:fs";
import { copyFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const First = 5;
const here = fileURLToPath(new URL(".", import.meta.url));
const site = join(here, "../../artifacts/site");
const script = "search-worker.min.js";

// The worker of the site, in a folder that says that its scripts are modules.
const folder = await mkdtemp(join(tmpdir(), "search-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
await writeFile(join(folder, "package.json"), '{ "type": "module" }');
const source = await readFile(join(site, "public", script), "utf8");
for (const name of [script, "main.js", ...[...source.matchAll(/from"\.\/([^"]+)"/g)].map(match => match[1])]) {
    await copyFile(join(site, "public", name), join(folder, name));
}

// What a worker has in a browser.
let answered;
const index = JSON.parse(await readFile(join(site, "index.json"), "utf8"));
globalThis.onmessage = null;
globalThis.postMessage = message => answered(message);
globalThis.fetch = async () => ({ headers: new Headers(), json: async () => index });
await import(pathToFileURL(join(folder, script)));
const { optionalWords } = await import(pathToFileURL(join(folder, "main.js")));
const ask = data => new Promise(resolve => {
    answered = resolve;
    globalThis.onmessage({ data });
});
await ask({ init: {} });

const questions = [...(await readFile(join(here, "questions.md"), "utf8")).matchAll(/^\| (.+) \| (\S+\.html) \|$/gm)];
let missing = questions.length < 30 ? 1 : 0;
for (const [, words, page] of questions) {
    const pages = (await ask({ q: optionalWords(words) })).d.map(answer => answer.href);
    if (!pages.slice(0, First).includes(page)) {
        missing++;
        console.log(`"${words}": ${page} is number ${pages.indexOf(page) + 1}; the first are ${pages.slice(0, First).join(", ")}`);
    }
}

console.log(`${questions.length} questions, ${missing} pages missing`);
process.exitCode = missing > 0 ? 1 : 0;
