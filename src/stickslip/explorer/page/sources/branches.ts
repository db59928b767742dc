// Branches over the diagram: they grow as they are computed, solid where stable, dashed where not, special points marked.

import { tellProgress, type App } from "./app";
import type { Frame } from "./frames";
import { openMenu, type MenuItem } from "./menu";
import { shown } from "./numbers";
import type { Pen } from "./pen";
import { disk, type Plot } from "./plot";
import { theme } from "./theme";
import type { BranchView } from "./view";

export interface Special {
  index: number;
  kind: string;
  label: string;
  value: number;
  quantity: number;
  second?: number;
  actions: { action: string; label: string }[];
}

interface Grown {
  view: BranchView;
  key: string;
  value: number[];
  low: number[];
  high: number[];
  second: number[];
  stable: number[];
  period: number[];
  specials: Special[];
  reason: string;
  done: boolean;
}

/** Left, top, right, bottom of a label. */
type Box = [number, number, number, number];

/** A mark is a polygon: shapes differ as well as names, so that nothing hangs on colour. */
interface Mark {
  corners: number;
  turn: number;
}

const MARKS: Record<string, Mark> = {
  fold: { corners: 4, turn: Math.PI / 4 },
  flip: { corners: 3, turn: -Math.PI / 2 },
  "branch point": { corners: 4, turn: 0 },
  "Neimark–Sacker": { corners: 24, turn: 0 },
  Hopf: { corners: 24, turn: 0 },
};
/** The sliding bifurcations, and what else changes where stick begins or ends. */
const OTHER: Mark = { corners: 5, turn: -Math.PI / 2 };
/** Where only the order of events changes, and nothing of the motion: a small dot without a name. */
const QUIET = "exchange of events";
const NEAR = 12;
/** Of unstable parts. */
const DASHES = [6, 5];

export class Branches {
  readonly grown: Grown[] = [];

  constructor(
    private readonly app: App,
    private readonly status: () => HTMLElement,
    private readonly onGrown: () => void,
  ) {}

  /** Compute what the view has and the page has not; forget what the view has no more. */
  update(): void {
    const wanted = this.app.view.branches;
    for (let i = this.grown.length; i > wanted.length; i--) {
      this.app.connection.cancel(`branch.${i - 1}`);
      this.grown.pop();
    }
    wanted.forEach((view, i) => {
      const key = JSON.stringify([this.app.view.model, view]);
      if (this.grown[i]?.key !== key) this.start(i, view, key);
    });
    this.onGrown();
  }

  stop(): boolean {
    let stopped = false;
    this.grown.forEach((branch, i) => {
      if (branch.done) return;
      this.app.connection.cancel(`branch.${i}`);
      stopped = true;
    });
    return stopped;
  }

  /** Follow from the present motion along the parameter of the diagram. */
  follow(of: "orbit" | "equilibrium"): void {
    const { diagram, branches, parameters, start } = this.app.view;
    const { parameter, low, high } = diagram;
    const view: BranchView = { of, parameter, low, high, from: null, parameters: { ...parameters }, start: { ...start } };
    this.app.commit({ branches: [...branches, view], show: "diagram" });
  }

  clear(): void {
    this.app.commit({ branches: [] });
  }

  private start(i: number, view: BranchView, key: string): void {
    const branch: Grown = {
      view, key, value: [], low: [], high: [], second: [], stable: [], period: [], specials: [], reason: "", done: false,
    };
    this.grown[i] = branch;
    this.app.connection.request(`branch.${i}`, "branch", { view: this.app.view, index: i }, (frame) => this.grow(branch, frame));
  }

  private grow(branch: Grown, frame: Frame): void {
    const header = frame.header;
    // It grows at both of its ends: every frame has all of it.
    for (const name of ["value", "low", "high", "second", "stable", "period"] as const) {
      const values = frame.array(name);
      if (values !== undefined) branch[name] = Array.from(values);
    }
    branch.specials = (header["specials"] as Special[] | undefined) ?? branch.specials;
    branch.done = header.done || header.error !== undefined;
    branch.reason = String(header["reason"] ?? branch.reason);
    const found = `${branch.value.length} points, ${branch.specials.length} special ${branch.specials.length === 1 ? "point" : "points"}. ${branch.reason}`;
    tellProgress(this.app, this.status(), header, `Following: ${branch.value.length} points`, `Branch: ${found}`);
    this.onGrown();
  }

  // -- drawing

  draw(pen: Pen, plot: Plot, parameter: string): void {
    const labels: Box[] = [];
    const drawn = this.grown.filter(({ view }) => view.parameter === parameter && view.from?.action !== "second");
    for (const branch of drawn) {
      this.drawCurve(pen, plot, branch, branch.high);
      // What branches off from equilibria may be orbits: it is told by their size, not by what was followed before.
      if (differ(branch.low, branch.high)) this.drawCurve(pen, plot, branch, branch.low);
    }
    // No curve lies over the name of a point.
    for (const branch of drawn) {
      for (const special of branch.specials) drawMark(pen, plot, special, special.value, special.quantity, labels);
    }
  }

  /** Curves in two parameters, over a map. */
  drawSecond(pen: Pen, plot: Plot, x: string, y: string): void {
    const labels: Box[] = [];
    for (const branch of this.grown) {
      const from = branch.view.from;
      if (from?.action !== "second" || branch.view.parameter !== x || from.second !== y) continue;
      this.drawCurve(pen, plot, branch, branch.second);
      for (const special of branch.specials) drawMark(pen, plot, special, special.value, special.second ?? special.quantity, labels);
    }
  }

  private drawCurve(pen: Pen, plot: Plot, branch: Grown, heights: number[]): void {
    pen.lineJoin = "round";
    // Seen on every ground: on the colours of a map as well as on the points of a diagram, and on another branch, whose
    // dashes would fill the gaps between these.
    pen.strokeStyle = theme().panel;
    pen.lineWidth = 5;
    this.strokeCurve(pen, plot, branch, heights, []);
    pen.strokeStyle = theme().ink;
    pen.lineWidth = 2.2;
    this.strokeCurve(pen, plot, branch, heights, DASHES);
  }

  private strokeCurve(pen: Pen, plot: Plot, branch: Grown, heights: number[], unstable: number[]): void {
    const { value, stable } = branch;
    let first = 0;
    for (let i = 1; i <= value.length; i++) {
      if (i < value.length && stable[i] === stable[first]) continue;
      pen.setLineDash(stable[first] === 0 ? unstable : []);
      pen.beginPath();
      for (let k = first; k < Math.min(i + 1, value.length); k++) {
        pen.lineTo(plot.px(value[k]!), plot.py(heights[k] ?? NaN));
      }
      pen.stroke();
      first = i;
    }
    pen.setLineDash([]);
  }

  // -- special points

  /** The special point at a place on the screen, with the index of its branch. */
  near(distance: (x: number, y: number) => number): { branch: number; special: Special } | null {
    let best = NEAR;
    let found: { branch: number; special: Special } | null = null;
    this.grown.forEach((grown, branch) => {
      if (grown.view.from?.action === "second") return;
      for (const special of grown.specials) {
        // Of marks that lie on each other the one is meant at which something happens.
        const far = distance(special.value, special.quantity) + (special.kind === QUIET ? NEAR / 2 : 0);
        if (far < best) {
          best = far;
          found = { branch, special };
        }
      }
    });
    return found;
  }

  menu(branch: number, special: Special, x: number, y: number, goThere: () => void): void {
    const items: MenuItem[] = [{ label: "Show the motion here", act: goThere }];
    for (const { action, label } of special.actions) {
      items.push({ label, act: () => (action === "second" ? this.askSecond(branch, special, x, y) : this.branchOff(branch, special, action)) });
    }
    openMenu(x, y, `${special.label} at ${shown(special.value)}`, items);
  }

  private branchOff(branch: number, special: Special, action: string, second?: string): void {
    const { branches, map, parameters } = this.app.view;
    const parent = branches[branch]!;
    const from = { branch, special: special.index, action, ...(second === undefined ? {} : { second }) };
    const grown: BranchView = { ...parent, from };
    if (second === undefined) {
      this.app.commit({ branches: [...branches, grown] });
      return;
    }
    const chosen = this.app.description.parameters.find((each) => each.name === second)!;
    const here = parameters[second] ?? chosen.value;
    const [low, high] = [Math.min(chosen.low, here), Math.max(chosen.high, here)];
    const x = { ...map.x, parameter: parent.parameter, low: parent.low, high: parent.high };
    this.app.commit({
      branches: [...branches, grown], show: "map", map: { ...map, x, y: { ...map.y, parameter: second, low, high } },
    });
  }

  private askSecond(branch: number, special: Special, x: number, y: number): void {
    const parameter = this.app.view.branches[branch]!.parameter;
    const others = this.app.description.parameters.filter((each) => each.name !== parameter);
    const items = others.map((each) => ({
      label: each.name, act: () => this.branchOff(branch, special, "second", each.name),
    }));
    openMenu(x, y, "Follow it also along", items);
  }
}

function differ(a: number[], b: number[]): boolean {
  return a.some((value, i) => Math.abs(value - (b[i] ?? value)) > 1e-9 * Math.abs(value));
}

function drawMark(pen: Pen, plot: Plot, special: Special, x: number, y: number, labels: Box[]): void {
  const px = plot.px(x);
  const py = plot.py(y);
  if (!Number.isFinite(px + py)) return;
  if (special.kind === QUIET) {
    disk(pen, px, py, 3, theme().quiet);
    return;
  }
  const { corners, turn } = MARKS[special.kind] ?? OTHER;
  pen.beginPath();
  for (let i = 0; i < corners; i++) {
    const angle = turn + (2 * Math.PI * i) / corners;
    pen.lineTo(px + 6.5 * Math.cos(angle), py + 6.5 * Math.sin(angle));
  }
  pen.closePath();
  pen.fillStyle = theme().panel;
  pen.fill();
  pen.strokeStyle = theme().stick;
  pen.lineWidth = 2.2;
  pen.stroke();
  drawLabel(pen, plot, special.label, px, py, labels);
}

/** The name beside a mark, where there is room for it; it can be had by pointing at the mark in any case. */
function drawLabel(pen: Pen, plot: Plot, text: string, px: number, py: number, labels: Box[]): void {
  pen.font = `600 ${theme().size}px ${theme().font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const width = pen.measureText(text).width;
  const left = px + 12 + width > plot.right ? px - 12 - width : px + 10;
  const middle = py - 14 < plot.top ? py + 14 : py - 12;
  const box: Box = [left - 3, middle - 8, left + width + 3, middle + 8];
  if (labels.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
  labels.push(box);
  pen.fillStyle = theme().panel;
  pen.globalAlpha = 0.85;
  pen.fillRect(left - 3, middle - 8, width + 6, 16);
  pen.globalAlpha = 1;
  pen.fillStyle = theme().ink;
  pen.fillText(text, left, middle);
}
