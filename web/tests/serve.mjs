// A small server of the page's files for the tests: isolated from other origins, or not.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { extname } from "node:path";

const FOLDERS = ["../page/", "../built/", "../../assets/fonts/"];
const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml", ".ttf": "font/ttf", ".gz": "application/gzip", ".webmanifest": "application/manifest+json",
};

/** Headers as `HEADERS` of web/src/lib.rs has them. */
async function headers() {
  const source = await readFile(new URL("../src/lib.rs", import.meta.url), "utf8");
  const table = source.slice(source.indexOf("pub static HEADERS")).split("];")[0];
  const strings = [...table.matchAll(/"((?:[^"\\]|\\\s+)*)"/g)].map(([, text]) => text.replace(/\\\s+/g, ""));
  return strings.flatMap((name, i) => (i % 2 ? [] : [[name, strings[i + 1]]]));
}

/** Starts it on a free port; `isolated` is whether pages may share memory. */
export async function serve({ isolated = true } = {}) {
  const all = await headers();
  const sent = all.filter(([name]) => isolated || !name.startsWith("Cross-Origin"));
  const server = createServer(async ({ url }, response) => {
    const path = new URL(url, "http://localhost").pathname.slice(1) || "index.html";
    for (const [name, value] of sent) response.setHeader(name, value);
    for (const folder of /^[\w.-]+$/.test(path) ? FOLDERS : []) {
      const bytes = await readFile(fileURLToPath(new URL(folder + path, import.meta.url))).catch(() => undefined);
      if (!bytes) continue;
      response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
      return response.end(bytes);
    }
    response.statusCode = 404;
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
