// The Poincaré section, and the return map with a cobweb that goes step by step.

import { remembered, tellProgress, type App } from "./app";
import { labelledState, moments } from "./diagram";
import { byId, fillSelect } from "./elements";
import { bindSelect } from "./fields";
import type { Frame } from "./frames";
import { padded, shown, span } from "./numbers";
import type { Pen } from "./pen";
import { curve, disk, line, Plot, type Readout } from "./plot";
import { Freshness, valuesOf } from "./stale";
import { theme } from "./theme";

type Kind = "section" | "return";

export class SectionPanel {
  readonly plot: Plot;
  private readonly status = byId("section-status");
  /** The arrays that have come: first the section, then the return map. */
  private arrays = new Map<string, Float64Array>();
  private coordinate = "";
  private steps = 0;
  private timer: number | undefined;
  private readonly freshness: Freshness;
  private running = false;

  constructor(private readonly app: App) {
    this.plot = new Plot(byId("section-plot"), "Poincaré section");
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers.hover = (x, y) => this.readout(x, y);
    this.freshness = new Freshness(this.plot.host, this.status, () => this.key());
    this.bind();
  }

  private bind(): void {
    for (const name of ["on", "x", "y"] as const) {
      bindSelect(`section-${name}`, (value) => {
        this.app.commit({ section: { ...this.app.view.section, [name]: value } });
        this.run();
      });
    }
    bindSelect("section-kind", (kind) => this.choose(kind as Kind));
    byId("section-run").addEventListener("click", () => (this.running ? this.interrupt() : this.run()));
    byId("cobweb-step").addEventListener("click", () => this.step());
    byId("cobweb-play").addEventListener("click", () => this.play());
    byId("cobweb-reset").addEventListener("click", () => this.restart());
  }

  private choose(kind: Kind): void {
    const { returns: _, ...page } = this.app.page;
    this.app.commit({ page: kind === "return" ? { ...page, returns: true } : page });
  }

  private get kind(): Kind {
    return this.app.page.returns === true ? "return" : "section";
  }

  get mapsReturns(): boolean {
    return this.kind === "return" && this.arrays.has("cobweb");
  }

  get hasPoints(): boolean {
    return this.arrays.size > 0;
  }

  reset(): void {
    this.arrays.clear();
    this.freshness.forget();
    this.steps = 0;
    const { states } = this.app.description;
    const names = states.map((each): [string, string] => [each.name, each.name]);
    fillSelect(byId("section-x"), names, this.app.view.section.x);
    fillSelect(byId("section-y"), names, this.app.view.section.y);
    fillSelect(byId("section-on"), moments(this.app), this.app.view.section.on);
  }

  update(): void {
    const { section } = this.app.view;
    for (const name of ["on", "x", "y"] as const) byId<HTMLSelectElement>(`section-${name}`).value = section[name];
    byId<HTMLSelectElement>("section-kind").value = this.kind;
    byId("cobweb").hidden = this.kind !== "return";
    byId("section-up").hidden = this.kind === "return";
    this.fit();
    this.markStale();
  }

  private key(): string {
    const { view, description } = this.app;
    const { model, section } = view;
    return JSON.stringify([model, section, valuesOf(description.parameters, view.parameters), valuesOf(description.states, view.start)]);
  }

  markStale(): void {
    this.freshness.mark(this.running);
  }

  /** Run if what is drawn is of another view. */
  refresh(): void {
    if (!this.freshness.isOfView) this.run();
  }

  run(): void {
    this.arrays.clear();
    this.steps = 0;
    this.freshness.begin();
    this.setRunning(true);
    this.status.textContent = "Computing…";
    this.app.commitPage(remembered(this.app, "section"));
    this.app.connection.request("section", "section", { view: this.app.view }, (frame) => this.receive(frame));
  }

  interrupt(): boolean {
    const was = this.running;
    if (was) this.app.connection.cancel("section");
    return was;
  }

  private setRunning(running: boolean): void {
    this.running = running;
    byId("section-run").textContent = running ? "Stop" : "Run";
  }

  private receive(frame: Frame): void {
    for (const name of frame.names) this.arrays.set(name, frame.numbers(name));
    this.coordinate = String(frame.header["coordinate"] ?? this.coordinate);
    const over = frame.header.done || frame.header.error !== undefined;
    if (over) this.setRunning(false);
    const without = frame.header["no_map"] === undefined ? "" : ` No curve goes through them: ${String(frame.header["no_map"])}.`;
    const finished = `${this.numbers("x").length} points of the section, ${this.numbers("now").length} of the return map.${without}`;
    tellProgress(this.app, this.status, frame.header, "Computing the section:", finished);
    if (over) this.markStale();
    this.fit();
  }

  private numbers(name: string): Float64Array {
    return this.arrays.get(name) ?? new Float64Array(0);
  }

  private fit(): void {
    const { section } = this.app.view;
    const returns = this.kind === "return";
    const mapped = this.coordinate || section.x;
    const label = labelledState(this.app, returns ? mapped : section.x);
    this.plot.xLabel = returns ? `${label} now` : label;
    this.plot.yLabel = returns ? `${label} next` : labelledState(this.app, section.y);
    if (returns) {
      const range = span(this.numbers("next"), ...span(this.numbers("now")));
      this.plot.x = this.plot.y = padded(span(this.numbers("curve"), ...span(this.numbers("cobweb"), ...range)));
    } else {
      this.plot.x = padded(span(this.numbers("x")), 0.1);
      this.plot.y = padded(span(this.numbers("y")), 0.1);
    }
    this.plot.redraw();
  }

  // -- the cobweb

  /** The values that the cobweb goes through. */
  private path(): ArrayLike<number> {
    const cobweb = this.numbers("cobweb");
    return cobweb.length > 1 ? cobweb : this.numbers("now");
  }

  step(): void {
    this.steps = Math.min(this.steps + 1, Math.max(this.path().length - 1, 0));
    this.plot.redrawAbove();
  }

  private play(): void {
    if (this.timer !== undefined) return this.pause();
    this.timer = window.setInterval(() => (this.steps < this.path().length - 1 ? this.step() : this.pause()), 350);
    byId("cobweb-play").textContent = "Pause";
  }

  private pause(): void {
    window.clearInterval(this.timer);
    this.timer = undefined;
    byId("cobweb-play").textContent = "Play";
  }

  private restart(): void {
    this.steps = 0;
    this.plot.redrawAbove();
  }

  // -- drawing

  private draw(pen: Pen): void {
    if (this.kind === "return") this.drawReturn(pen);
    else this.drawDots(pen, this.numbers("x"), this.numbers("y"));
  }

  private drawReturn(pen: Pen): void {
    const colours = theme();
    pen.strokeStyle = colours.faint;
    pen.lineWidth = 1.2;
    const [low, high] = this.plot.x;
    line(pen, this.plot.px(low), this.plot.py(low), this.plot.px(high), this.plot.py(high));
    const values = this.numbers("curve");
    if (values.length > 1) {
      pen.strokeStyle = colours.series[1]!;
      pen.lineWidth = 1.8;
      curve(pen, this.plot, values.subarray(0, values.length / 2), values.subarray(values.length / 2));
    }
    this.drawDots(pen, this.numbers("now"), this.numbers("next"));
  }

  private drawDots(pen: Pen, xs: Float64Array, ys: Float64Array): void {
    const radius = xs.length > 2000 ? 1.2 : xs.length > 300 ? 2 : 3.2;
    pen.fillStyle = theme().slip;
    pen.beginPath();
    for (let i = 0; i < xs.length; i++) {
      const [px, py] = [this.plot.px(xs[i]!), this.plot.py(ys[i]!)];
      pen.moveTo(px + radius, py);
      pen.arc(px, py, radius, 0, 2 * Math.PI);
    }
    pen.fill();
  }

  private drawAbove(pen: Pen): void {
    if (this.kind !== "return" || this.steps === 0) return;
    const path = this.path();
    pen.strokeStyle = theme().stick;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(this.plot.px(path[0]!), this.plot.py(path[0]!));
    for (let i = 0; i < this.steps; i++) {
      pen.lineTo(this.plot.px(path[i]!), this.plot.py(path[i + 1]!));
      pen.lineTo(this.plot.px(path[i + 1]!), this.plot.py(path[i + 1]!));
    }
    pen.stroke();
    disk(pen, this.plot.px(path[this.steps]!), this.plot.py(path[this.steps]!), 4.5, theme().stick);
  }

  private readout(x: number, y: number): Readout {
    return { lines: [`${this.plot.xLabel} ${shown(x, 4)}`, `${this.plot.yLabel} ${shown(y, 4)}`] };
  }
}
