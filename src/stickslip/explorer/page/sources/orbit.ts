// "Find orbit" and equilibria: what was found, in words beside the diagram and as curves in the phase plane.

import { tellProgress, type App } from "./app";
import { byId, make } from "./elements";
import type { Frame } from "./frames";
import { shown } from "./numbers";
import type { PhasePlane, Rest } from "./phase";

export class OrbitPanel {
  private readonly facts = byId("orbit-facts");
  private readonly status = byId("diagram-status");

  constructor(
    private readonly app: App,
    private readonly phase: PhasePlane,
    private readonly onFound: () => void,
  ) {
    byId("orbit-find").addEventListener("click", () => this.find());
    byId("equilibria-find").addEventListener("click", () => this.findEquilibria());
    byId("orbit-clear").addEventListener("click", () => this.clear());
  }

  find(): void {
    this.status.textContent = "Looking for a periodic orbit…";
    this.app.connection.request("orbit", "orbit", { view: this.app.view }, (frame) => this.found(frame));
  }

  findEquilibria(): void {
    this.status.textContent = "Looking for equilibria…";
    this.app.connection.request("equilibria", "equilibria", { view: this.app.view }, (frame) => this.foundEquilibria(frame));
  }

  clear(): void {
    this.phase.orbit = null;
    this.phase.equilibria = [];
    this.facts.hidden = true;
    this.onFound();
  }

  private found(frame: Frame): void {
    const { header } = frame;
    if (header.error !== undefined) {
      tellProgress(this.app, this.status, header, "", "");
      return;
    }
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

  private foundEquilibria(frame: Frame): void {
    const { header } = frame;
    const found = (header["equilibria"] as Rest[] | undefined) ?? [];
    if (header.error === undefined) {
      this.phase.equilibria = found;
      this.show(
        found.length === 1 ? "One equilibrium" : `${found.length} equilibria`,
        found.map((rest) => [
          `${rest.stable ? "stable" : "unstable"}, ${rest.kind}`,
          Object.entries(rest.states).map(([name, value]) => `${name} ${shown(value, 4)}`).join(", "),
        ]),
      );
      this.onFound();
    }
    tellProgress(this.app, this.status, header, "", `${found.length} found, marked in the phase plane.`);
  }

  private show(title: string, facts: [string, string][]): void {
    const rows = facts.filter(([, value]) => value !== "").map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: short(value), title: value })));
    byId("orbit-title").textContent = title;
    byId("orbit-list").replaceChildren(...rows);
    this.facts.hidden = false;
  }
}

/** A signature may be as long as its orbit; all of it is in the tip of the pointer. */
function short(text: string): string {
  return text.length > 90 ? text.slice(0, 88) + " …" : text;
}

function complex([re, im]: [number, number]): string {
  if (Math.abs(im) < 1e-9) return shown(re, 4);
  return `${shown(re, 4)} ${im < 0 ? "−" : "+"} ${shown(Math.abs(im), 4)}i`;
}
