// Bundles the page into static files: `node build.mjs [FOLDER]`, by default ../static, which ships in the wheel.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { dirname, join, resolve } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "..", "static"));
await mkdir(folder, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "sources/main.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  target: "es2022",
  format: "iife",
  charset: "utf8",
  legalComments: "none",
});
await build({
  absWorkingDir: here,
  entryPoints: { page: "sources/page.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  target: "chrome110",
});
for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, "sources", name), join(folder, name));
