// "Find orbit" and equilibria: what was found, in words beside the diagram and as curves in the phase plane.

import { remembered, tellProgress, type App } from "./app";
import { byId, make } from "./elements";
import type { Frame } from "./frames";
import { shown } from "./numbers";
import type { PhasePlane, Rest } from "./phase";
import { valuesOf } from "./stale";

type Job = "orbit" | "equilibria";
const JOBS: Job[] = ["orbit", "equilibria"];
/** What the buttons say. */
const FIND = { orbit: "Find orbit", equilibria: "Equilibria" };

export class OrbitPanel {
  private readonly facts = byId("orbit-facts");
  private readonly status = byId("orbit-status");
  private title = "";
  /** At which values of the parameters what is shown was found. */
  private key = "";

  constructor(
    private readonly app: App,
    private readonly phase: PhasePlane,
    private readonly onFound: () => void,
  ) {
    byId("orbit-find").addEventListener("click", () => this.find());
    byId("equilibria-find").addEventListener("click", () => this.findEquilibria());
    byId("orbit-clear").addEventListener("click", () => {
      this.clear();
      this.app.commitPage({ ...this.app.page, ran: (this.app.page.ran ?? []).filter((job) => job !== "orbit" && job !== "equilibria") });
    });
  }

  /** Give up what is looked for; whether anything was. */
  stop(): boolean {
    const looking = JOBS.filter((job) => this.app.connection.isBusy(job));
    for (const job of looking) this.app.connection.cancel(job);
    return looking.length > 0;
  }

  private look(job: Job, words: string, receive: (frame: Frame) => void): void {
    this.status.textContent = words;
    this.app.commitPage(remembered(this.app, job));
    this.showStop(job, true);
    this.app.connection.request(job, job, { view: this.app.view }, (frame) => {
      this.showStop(job, false);
      receive(frame);
    });
  }

  private showStop(job: Job, looking: boolean): void {
    byId(`${job}-find`).textContent = looking ? "Stop" : FIND[job];
  }

  find(): void {
    if (this.app.connection.isBusy("orbit")) return this.app.connection.cancel("orbit");
    const key = this.present();
    this.look("orbit", "Looking for a periodic orbit…", (frame) => this.found(frame, key));
  }

  findEquilibria(): void {
    if (this.app.connection.isBusy("equilibria")) return this.app.connection.cancel("equilibria");
    const key = this.present();
    this.look("equilibria", "Looking for equilibria…", (frame) => this.foundEquilibria(frame, key));
  }

  clear(): void {
    this.stop();
    this.phase.orbit = null;
    this.phase.equilibria = [];
    this.facts.hidden = true;
    this.onFound();
  }

  private present(): string {
    const { view, description } = this.app;
    return JSON.stringify([view.model, valuesOf(description.parameters, view.parameters)]);
  }

  /** What was found at other values than those of the sliders is pale, and says so. */
  mark(): void {
    const faded = !this.facts.hidden && this.key !== this.present();
    this.phase.faded = faded;
    this.facts.classList.toggle("stale", faded);
    byId("orbit-title").textContent = faded ? `${this.title}, of other values` : this.title;
  }

  /** Orbit and equilibria are drawn together where they are of the same values. */
  private keep(key: string): void {
    if (key !== this.key) {
      this.phase.orbit = null;
      this.phase.equilibria = [];
    }
    this.key = key;
  }

  private found(frame: Frame, key: string): void {
    const { header } = frame;
    if (header.error !== undefined || header.stopped === true) {
      tellProgress(this.app, this.status, header, "", "");
      return;
    }
    this.keep(key);
    this.phase.orbit = frame;
    const multipliers = (header["multipliers"] as [number, number][] | undefined) ?? [];
    const stable = header["stable"] === true;
    this.show("Periodic orbit", [
      ["period", shown(Number(header["period"]), 7)],
      ["stability", stable ? "stable" : "unstable"],
      ["multipliers", multipliers.map(complex).join(", ")],
      ["signature", String(header["signature"] ?? "")],
      ["residual", shown(Number(header["residual"]), 2)],
    ]);
    tellProgress(this.app, this.status, header, "", `A ${stable ? "stable" : "unstable"} orbit, drawn in the phase plane.`);
    this.onFound();
  }

  private foundEquilibria(frame: Frame, key: string): void {
    const { header } = frame;
    const found = (header["equilibria"] as Rest[] | undefined) ?? [];
    if (header.error === undefined && header.stopped !== true) {
      this.keep(key);
      this.phase.equilibria = found;
      this.show(
        found.length === 0 ? "No equilibrium" : found.length === 1 ? "One equilibrium" : `${found.length} equilibria`,
        found.map((rest) => [this.app.description.contacts.length > 0 ? `${rest.stability}, in ${rest.kind}` : rest.stability, Object.keys(rest.states).map((name) => where(rest, name)).join(", ")]),
      );
      this.onFound();
    }
    const count = header.stopped === true ? "" : found.length === 0 ? "It rests nowhere." : `${found.length} found, marked in the phase plane.`;
    tellProgress(this.app, this.status, header, "", count);
  }

  private show(title: string, facts: [string, string][]): void {
    const rows = facts.filter(([, value]) => value !== "").map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: short(value), title: value })));
    this.title = title;
    byId("orbit-list").replaceChildren(...rows);
    this.facts.hidden = false;
    this.mark();
  }
}

/** A state of an equilibrium, or from where to where it may be: sticking masses rest in a whole range. */
function where(rest: Rest, name: string): string {
  const [low, high] = rest.interval?.[name] ?? [0, 0];
  if (low !== null && low === high) return `${name} ${shown(rest.states[name] ?? NaN, 4)}`;
  return `${name} from ${shown(low ?? -Infinity, 4)} to ${shown(high ?? Infinity, 4)}`;
}

/** A signature may be as long as its orbit; all of it is in the tip of the pointer. */
function short(text: string): string {
  return text.length > 90 ? text.slice(0, 88) + " …" : text;
}

function complex([re, im]: [number, number]): string {
  if (Math.abs(im) < 1e-9) return shown(re, 4);
  return `${shown(re, 4)} ${im < 0 ? "−" : "+"} ${shown(Math.abs(im), 4)}i`;
}
