// "Show the Python": the line of every action, and the whole view as a script.

import type { App } from "./app";
import { announce, byId, download, make } from "./elements";
import { SAMPLES } from "./motion";

const MOST_LINES = 60;

export class PythonPanel {
  private readonly drawer = byId("python");
  private readonly lines = byId("python-lines");
  private readonly script = byId("python-script");
  private last = "";
  private cameFrom: Element | null = null;

  constructor(private readonly app: () => App) {
    byId("python-open").addEventListener("click", () => this.toggle());
    byId("python-close").addEventListener("click", () => this.toggle(false));
    byId("python-copy").addEventListener("click", () => void copy(this.script.textContent ?? ""));
    byId("python-download").addEventListener("click", () => {
      download(new Blob([this.script.textContent ?? ""], { type: "text/x-python" }), "stickslip_view.py");
    });
    byId("last-copy").addEventListener("click", () => void copy(this.last));
  }

  get isOpen(): boolean {
    return !this.drawer.hidden;
  }

  toggle(open = this.drawer.hidden): void {
    this.drawer.hidden = !open;
    byId("python-open").setAttribute("aria-expanded", String(open));
    if (open) {
      this.cameFrom = document.activeElement;
      byId("python-close").focus();
      this.ask();
    } else if (this.cameFrom instanceof HTMLElement) this.cameFrom.focus();
  }

  /** The script again, if somebody looks at it. */
  refresh(): void {
    if (this.isOpen) this.ask();
  }

  add(line: string, job: string): void {
    if (line === this.last) return;
    this.last = line;
    byId("last-line").textContent = mainLine(line, job);
    byId("last-line").title = line;
    // A drag is one line, not one for every pixel.
    const newest = this.lines.lastElementChild as HTMLElement | null;
    if (newest?.dataset["job"] === job && job === "motion") newest.remove();
    this.lines.append(make("li", { "data-job": job }, make("code", { text: line })));
    while (this.lines.childElementCount > MOST_LINES) this.lines.firstElementChild?.remove();
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  private ask(): void {
    const app = this.app();
    const view = { ...app.view, section: { ...app.view.section, returns: app.mapsReturns } };
    app.connection.live("script", "script", { view, samples: SAMPLES }, (frame) => {
      this.script.textContent = frame.header.error ?? String(frame.header["script"] ?? "");
    });
  }
}

/** The line that does it, of an action that has several: a model comes after its text, all else comes first. */
function mainLine(lines: string, job: string): string {
  const all = lines.split("\n");
  const main = all.at(job === "describe" ? -1 : 0) ?? "";
  return all.length > 1 ? `${main} …` : main;
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
  } catch {
    announce("The browser did not allow copying: select the text and copy it by hand.");
  }
}
