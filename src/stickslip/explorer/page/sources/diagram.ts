// The bifurcation diagram: fills in while the sweep runs, is recomputed in a box, and a click shows the motion there.

import { remembered, tellProgress, type App } from "./app";
import { Branches } from "./branches";
import { byId, fillSelect } from "./elements";
import type { Frame } from "./frames";
import { bindNumber, bindSelect, forgiveFields } from "./fields";
import { inField, padded, shown, span } from "./numbers";
import type { Pen } from "./pen";
import { line, Plot, type Range, type Readout } from "./plot";
import { Points } from "./points";
import { Freshness, valuesOf } from "./stale";
import { theme } from "./theme";
import type { DiagramView } from "./view";

interface Window {
  low: number;
  high: number;
  heights: Range | undefined;
}

/** A point that was clicked; the states there if they are known. */
export interface Picked {
  value: number;
  states: number[] | null;
  phase: number;
}

const NEAR = 14;

export class DiagramPanel {
  readonly plot: Plot;
  readonly points = new Points();
  readonly branches: Branches;
  private readonly status = byId("diagram-status");
  /** Branches have grown; those in two parameters are drawn over the map. */
  onGrown: () => void = () => this.fit();
  private readonly zoomed: Window[] = [];
  private readonly freshness: Freshness;
  private running = false;

  constructor(
    private readonly app: App,
    private readonly onPick: (picked: Picked) => void,
  ) {
    this.plot = new Plot(byId("diagram-plot"), "Bifurcation diagram");
    this.plot.zooms = true;
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers = {
      hover: (x, y) => this.readout(x, y),
      click: (x, y, near) => this.click(x, y, near),
      box: (x, y) => this.zoom(x, y),
      moved: () => this.showWays(),
    };
    this.freshness = new Freshness(this.plot.host, this.status, () => this.key());
    this.branches = new Branches(app, () => (app.view.show === "map" ? byId("map-status") : byId("orbit-status")), () => this.onGrown());
    this.bind();
  }

  private bind(): void {
    const change = (part: Partial<DiagramView>): void => {
      const heights = part.quantity === undefined ? this.app.page.heights : undefined;
      this.app.commit({ diagram: { ...this.app.view.diagram, ...part }, page: withHeights(this.app, heights) });
    };
    bindSelect("diagram-parameter", (parameter) => this.chooseParameter(parameter));
    bindSelect("diagram-quantity", (quantity) => change({ quantity }));
    bindSelect("diagram-direction", (direction) => change({ direction: direction as DiagramView["direction"] }));
    for (const name of ["low", "high", "points", "transient", "observed"] as const) {
      bindNumber(`diagram-${name}`, (value) => change({ [name]: value }));
    }
    bindSelect("diagram-on", (on) => change({ on }));
    byId("diagram-run").addEventListener("click", () => (this.running ? this.stop() : this.runAnew()));
    byId("diagram-back").addEventListener("click", () => this.back());
    byId("diagram-here").addEventListener("click", () => this.zoom(this.plot.x, this.plot.y));
  }

  private chooseParameter(parameter: string): void {
    const known = this.app.description.parameters.find((each) => each.name === parameter);
    if (known === undefined) return;
    this.zoomed.length = 0;
    const diagram = { ...this.app.view.diagram, parameter, low: known.low, high: known.high };
    this.app.commit({ diagram, page: withHeights(this.app, undefined) });
  }

  /** A model was opened. */
  reset(): void {
    this.stop();
    this.points.clear();
    this.freshness.forget();
    this.zoomed.length = 0;
    const { parameters, quantities } = this.app.description;
    const names = parameters.map((each): [string, string] => [each.name, each.name]);
    fillSelect(byId("diagram-parameter"), names, this.app.view.diagram.parameter);
    fillSelect(byId("diagram-on"), moments(this.app), this.app.view.diagram.on ?? "");
    fillSelect(byId("diagram-quantity"), quantities.map((each) => [each, each]), this.app.view.diagram.quantity);
  }

  /** Show what the view says; run again only if what was drawn is of another range. */
  update(): void {
    const { diagram } = this.app.view;
    for (const name of ["parameter", "quantity", "direction", "low", "high", "points", "transient", "observed"] as const) {
      byId<HTMLInputElement | HTMLSelectElement>(`diagram-${name}`).value = inField(diagram[name]);
    }
    byId<HTMLSelectElement>("diagram-on").value = diagram.on ?? "";
    this.plot.xLabel = labelled(this.app, diagram.parameter);
    const moment = moments(this.app).find(([name]) => name === diagram.on)?.[1];
    const extremes = this.app.view.branches.length > 0 ? "; lines: largest and smallest of the orbit" : "";
    const quantity = labelledState(this.app, diagram.quantity);
    this.plot.yLabel = (moment === undefined ? quantity : `${quantity} at ${moment}`) + extremes;
    this.fit();
    this.branches.update();
    this.markStale();
  }

  /** What can be done with the range that is seen. */
  private showWays(): void {
    byId("diagram-back").toggleAttribute("disabled", this.zoomed.length === 0 && !this.plot.isMoved);
    byId("diagram-here").hidden = !this.plot.isMoved;
  }

  /** What this diagram is of; where the motions of clicked points start has nothing to do with it. */
  private key(): string {
    const { view, description } = this.app;
    const { model, diagram } = view;
    const parameters = valuesOf(description.parameters, view.parameters, diagram.parameter);
    const start = valuesOf(description.states, diagram.start ?? view.start);
    return JSON.stringify([model, parameters, start, { ...diagram, start: null }]);
  }

  markStale(): void {
    this.freshness.mark(this.running);
  }

  /** Run from the start that the view has now. */
  private runAnew(): void {
    const { start, ...diagram } = this.app.view.diagram;
    if (start !== undefined) this.app.commit({ diagram });
    this.run();
  }

  run(): void {
    this.points.clear();
    this.freshness.begin();
    this.setRunning(true);
    this.status.textContent = "Computing…";
    forgiveFields("panel-diagram");
    this.app.commitPage(remembered(this.app, "diagram"));
    this.app.connection.request("diagram", "diagram", { view: this.app.view }, (frame) => this.receive(frame));
    this.plot.redraw();
  }

  /** Run if what is drawn is of another view. */
  refresh(): void {
    if (!this.freshness.isOfView) this.run();
  }

  stop(): void {
    if (this.running) this.app.connection.cancel("diagram");
  }

  /** Stop whatever runs here; whether anything did. */
  interrupt(): boolean {
    const was = this.running;
    this.stop();
    return this.branches.stop() || this.plot.forget() || was;
  }

  private setRunning(running: boolean): void {
    this.running = running;
    const button = byId("diagram-run");
    button.textContent = running ? "Stop" : "Run";
    button.setAttribute("aria-pressed", String(running));
  }

  private receive(frame: Frame): void {
    const { header } = frame;
    const value = frame.array("value");
    const point = frame.array("point");
    if (value !== undefined && point !== undefined) {
      this.points.append(value, point, frame.array("up"));
      const states = frame.array("states");
      if (states !== undefined) this.points.remember(value.length, states, frame.array("phase"));
    }
    const over = header.done || header.error !== undefined;
    if (over) this.setRunning(false);
    const count = `${this.points.count.toLocaleString("en")} points`;
    const ways = this.app.view.diagram.direction === "both" ? ", blue on the way up, amber on the way down" : "";
    const found = header.stopped === true ? `${count}.` : this.points.count > 0 ? `${count}${ways}. Drag a box to look closer, click a point for its motion.` : this.nothing();
    tellProgress(this.app, this.status, header, `Computing: ${count},`, found);
    if (over) this.markStale();
    this.fit();
  }

  /** Why there may be no points. */
  private nothing(): string {
    const moment = moments(this.app).find(([name]) => name === this.app.view.diagram.on)?.[1].replace("each ", "") ?? "such moment";
    return `No points: no motion here has a ${moment} in what is observed of it. Choose another moment at "More", or observe for longer.`;
  }

  fit(): void {
    const { parameter, quantity, low, high } = this.app.view.diagram;
    const { heights } = this.app.page;
    this.plot.look(JSON.stringify([parameter, quantity, low, high, heights]), [low, high], heights ?? this.wholeHeight());
    this.showWays();
  }

  private wholeHeight(): Range {
    let range = span(this.points.point.subarray(0, this.points.count));
    for (const branch of this.branches.grown) {
      if (branch.view.from?.action !== "second") range = span(branch.high, ...span(branch.low, ...range));
    }
    return padded(range, 0.05);
  }

  // -- zoom

  private zoom(x: Range, y: Range): void {
    const { diagram } = this.app.view;
    this.zoomed.push({ low: diagram.low, high: diagram.high, heights: this.app.page.heights });
    this.go({ low: rounded(x[0], x), high: rounded(x[1], x), heights: y });
  }

  back(): void {
    if (this.plot.isMoved) {
      this.plot.isMoved = false;
      this.fit();
      return;
    }
    const before = this.zoomed.pop();
    if (before !== undefined) this.go(before);
  }

  private go(window: Window): void {
    const diagram = { ...this.app.view.diagram, low: window.low, high: window.high };
    this.app.commit({ diagram, page: withHeights(this.app, window.heights) });
    this.run();
  }

  // -- the pointer

  private click(x: number, y: number, near: (x: number, y: number) => number): void {
    const special = this.branches.near(near);
    if (special !== null) {
      const frame = this.plot.host.getBoundingClientRect();
      const left = frame.left + this.plot.px(special.special.value) + 10;
      const top = frame.top + this.plot.py(special.special.quantity) + 10;
      const there = special.special;
      this.plot.leave();
      this.branches.menu(special.branch, there, left, top, () => this.onPick({ value: there.value, states: null, phase: 0 }));
      return;
    }
    const found = this.points.nearest(this.plot, x, y, NEAR);
    if (found < 0) this.onPick({ value: x, states: null, phase: 0 });
    else this.onPick({ value: this.points.value[found]!, ...(this.points.stateAt(found) ?? { states: null, phase: 0 }) });
  }

  private readout(x: number, y: number): Readout {
    const { parameter, quantity } = this.app.view.diagram;
    const special = this.branches.near((px, py) => Math.hypot(this.plot.px(px) - this.plot.px(x), this.plot.py(py) - this.plot.py(y)));
    if (special !== null) {
      const { label, value, quantity: height } = special.special;
      return { lines: [label, `${parameter} ${shown(value, 7)}`, "click: what can be done here"], at: [value, height] };
    }
    const found = this.points.nearest(this.plot, x, y, NEAR);
    if (found < 0) return { lines: [`${parameter} ${shown(x, 4)}`, `${quantity} ${shown(y, 4)}`] };
    const at: [number, number] = [this.points.value[found]!, this.points.point[found]!];
    const way = this.points.up[found]! > 0 ? ["on the way up"] : this.points.up[found]! < 0 ? ["on the way down"] : [];
    return { lines: [`${parameter} ${shown(at[0])}`, `${quantity} ${shown(at[1])}`, ...way], at };
  }

  // -- drawing

  private draw(pen: Pen): void {
    this.points.draw(pen, this.plot);
    this.branches.draw(pen, this.plot, this.app.view.diagram.parameter);
  }

  private drawAbove(pen: Pen): void {
    const { diagram, parameters } = this.app.view;
    const known = this.app.description.parameters.find((each) => each.name === diagram.parameter);
    const value = parameters[diagram.parameter] ?? known?.value;
    if (value === undefined) return;
    pen.strokeStyle = theme().accent;
    pen.lineWidth = 1.5;
    const px = this.plot.px(value);
    line(pen, px, this.plot.top, px, this.plot.bottom);
  }
}

/** The moments of a motion at which it can be looked at. */
export function moments(app: App): [string, string][] {
  const found: [string, string][] = [["release", "each release"], ["maximum", "each maximum"]];
  if (app.description.period !== null) found.push(["strobe", "each period"]);
  return found;
}

/** A parameter with its unit. */
export function labelled(app: App, name: string): string {
  const unit = app.description.parameters.find((each) => each.name === name)?.unit ?? "";
  return unit === "" ? name : `${name} (${unit})`;
}

/** A state with its unit. */
export function labelledState(app: App, name: string): string {
  const unit = app.description.states.find((each) => each.name === name)?.unit ?? "";
  return unit === "" ? name : `${name} (${unit})`;
}

function withHeights(app: App, heights: Range | undefined): App["page"] {
  const { heights: _, ...others } = app.page;
  return heights === undefined ? others : { ...others, heights };
}

/** To a thousandth of the range: an edge that was drawn by hand has no more digits. */
function rounded(value: number, [low, high]: Range): number {
  const digits = Math.ceil(3 - Math.log10(high - low));
  return digits > 0 && digits < 90 ? Number(value.toFixed(Math.min(digits, 15))) : value;
}
