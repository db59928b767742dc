// Basins of attraction: where each start ends up; a click starts the motion there.

import { remembered, tellProgress, type App } from "./app";
import { labelledState } from "./diagram";
import { byId, fillSelect } from "./elements";
import { bindNumber, bindSelect, forgiveFields } from "./fields";
import type { Frame } from "./frames";
import { keyOf, showKey } from "./map";
import { inField, shown } from "./numbers";
import type { Pen } from "./pen";
import { disk, Plot, type Range, type Readout } from "./plot";
import { Raster } from "./raster";
import { Freshness, valuesOf } from "./stale";
import { theme } from "./theme";
import type { BasinsView, RangeOfState } from "./view";

interface Attractor {
  index: number;
  label: string;
  colour: string;
  period?: number | null;
}

type Axis = "x" | "y";
/** The server's label where no attractor was made out. */
const NOT_RESOLVED = -2;

export class BasinsPanel {
  readonly plot: Plot;
  readonly raster = new Raster();
  private readonly status = byId("basins-status");
  private readonly freshness: Freshness;
  private running = false;
  private computed: BasinsView | null = null;
  private readonly zoomed: BasinsView[] = [];

  constructor(
    private readonly app: App,
    private readonly onStart: (start: Record<string, number>) => void,
  ) {
    this.plot = new Plot(byId("basins-plot"), "Basins of attraction");
    this.plot.zooms = true;
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers = {
      hover: (x, y) => this.readout(x, y),
      click: (x, y) => this.onStart({ [this.app.view.basins.x.state]: x, [this.app.view.basins.y.state]: y }),
      box: (x, y) => this.zoom(x, y),
      moved: () => this.showWays(),
    };
    this.freshness = new Freshness(this.plot.host, this.status, () => this.key());
    this.bind();
  }

  private bind(): void {
    for (const axis of ["x", "y"] as const) {
      bindSelect(`basins-${axis}-state`, (state) => {
        const known = this.app.description.states.find((each) => each.name === state);
        if (known !== undefined) this.change(axis, { state, low: known.low, high: known.high });
      });
      for (const name of ["low", "high", "points"] as const) {
        bindNumber(`basins-${axis}-${name}`, (value) => this.change(axis, { [name]: value }));
      }
    }
    bindNumber("basins-t", (t) => this.app.commit({ basins: { ...this.app.view.basins, t } }));
    byId("basins-run").addEventListener("click", () => (this.running ? this.stop() : this.run()));
    byId("basins-back").addEventListener("click", () => this.back());
  }

  private change(axis: Axis, part: Partial<RangeOfState>): void {
    const { basins } = this.app.view;
    this.app.commit({ basins: { ...basins, [axis]: { ...basins[axis], ...part } } });
  }

  /** Nothing is computed of these axes. */
  private empty(): void {
    this.stop();
    this.raster.clear();
    this.freshness.forget();
    this.computed = null;
    this.zoomed.length = 0;
    this.plot.key = [];
    showKey(byId("basins-legend"), []);
    this.status.textContent = "Run computes from each start on which attractor the motion ends.";
  }

  /** A model was opened. */
  reset(): void {
    this.empty();
    const names = this.app.description.states.map((each): [string, string] => [each.name, each.name]);
    for (const axis of ["x", "y"] as const) fillSelect(byId(`basins-${axis}-state`), names, this.app.view.basins[axis].state);
  }

  update(): void {
    const { basins } = this.app.view;
    const drawn = this.computed;
    if (drawn !== null && (drawn.x.state !== basins.x.state || drawn.y.state !== basins.y.state)) this.empty();
    for (const axis of ["x", "y"] as const) {
      for (const name of ["state", "low", "high", "points"] as const) {
        byId<HTMLInputElement>(`basins-${axis}-${name}`).value = inField(basins[axis][name]);
      }
    }
    byId<HTMLInputElement>("basins-t").value = inField(basins.t);
    this.plot.look(JSON.stringify([basins.x, basins.y]), [basins.x.low, basins.x.high], [basins.y.low, basins.y.high]);
    this.showWays();
    this.plot.xLabel = labelledState(this.app, basins.x.state);
    this.plot.yLabel = labelledState(this.app, basins.y.state);
    this.markStale();
  }

  private showWays(): void {
    byId("basins-back").toggleAttribute("disabled", this.zoomed.length === 0 && !this.plot.isMoved);
  }

  /** Where the motion starts in the plane that is drawn has nothing to do with it. */
  private key(): string {
    const { view, description } = this.app;
    const { model, basins } = view;
    const start = valuesOf(description.states, view.start, basins.x.state, basins.y.state);
    return JSON.stringify([model, basins, valuesOf(description.parameters, view.parameters), start]);
  }

  markStale(): void {
    this.freshness.mark(this.running);
  }

  /** Run if what is drawn is of another view. */
  refresh(): void {
    if (!this.freshness.isOfView) this.run();
  }

  run(): void {
    this.raster.clear();
    this.computed = this.app.view.basins;
    this.freshness.begin();
    this.setRunning(true);
    this.status.textContent = "Computing…";
    forgiveFields("panel-basins");
    this.app.commitPage(remembered(this.app, "basins"));
    this.app.connection.request("basins", "basins", { view: this.app.view }, (frame) => this.receive(frame));
  }

  stop(): void {
    if (this.running) this.app.connection.cancel("basins");
  }

  interrupt(): boolean {
    const was = this.running;
    this.stop();
    return this.plot.forget() || was;
  }

  private setRunning(running: boolean): void {
    this.running = running;
    byId("basins-run").textContent = running ? "Stop" : "Run";
  }

  private receive(frame: Frame): void {
    const { header } = frame;
    const label = frame.array("label");
    const attractors = (header["attractors"] as Attractor[] | undefined) ?? [];
    if (label !== undefined && this.computed !== null) {
      const entries = attractors.map(({ index, label: words, colour }) => ({ key: index, label: words, colour }));
      entries.push({ key: NOT_RESOLVED, label: "not resolved", colour: "#888888" });
      this.raster.set(label, frame.shapes.get("label")!, entries);
      const unresolved = Array.prototype.includes.call(label, NOT_RESOLVED);
      this.plot.key = keyOf(unresolved ? entries : entries.slice(0, -1));
      showKey(byId("basins-legend"), this.plot.key);
    }
    const over = header.done || header.error !== undefined;
    if (over) this.setRunning(false);
    const finished = `${attractors.length} attractor${attractors.length === 1 ? "" : "s"}. Click to start a motion there.`;
    tellProgress(this.app, this.status, header, "Computing basins:", finished);
    if (over) this.markStale();
    this.plot.redraw();
  }

  private zoom(x: Range, y: Range): void {
    const { basins } = this.app.view;
    this.zoomed.push(basins);
    this.go({ ...basins, x: { ...basins.x, low: x[0], high: x[1] }, y: { ...basins.y, low: y[0], high: y[1] } });
  }

  back(): void {
    if (this.plot.isMoved) {
      this.plot.isMoved = false;
      this.update();
      return;
    }
    const before = this.zoomed.pop();
    if (before !== undefined) this.go(before);
  }

  private go(basins: BasinsView): void {
    this.app.commit({ basins });
    this.run();
  }

  private draw(pen: Pen): void {
    const drawn = this.computed;
    if (drawn === null) return;
    this.raster.draw(pen, this.plot, [drawn.x.low, drawn.x.high], [drawn.y.low, drawn.y.high]);
  }

  private drawAbove(pen: Pen): void {
    const { basins, start } = this.app.view;
    const of = (name: string): number => start[name] ?? this.app.description.states.find((each) => each.name === name)?.value ?? NaN;
    const [px, py] = [this.plot.px(of(basins.x.state)), this.plot.py(of(basins.y.state))];
    disk(pen, px, py, 7, theme().panel);
    disk(pen, px, py, 5, theme().accent);
  }

  private readout(x: number, y: number): Readout {
    const { basins } = this.app.view;
    const lines = [`${basins.x.state} ${shown(x, 4)}`, `${basins.y.state} ${shown(y, 4)}`];
    const drawn = this.computed;
    if (drawn === null) return { lines };
    const share = (value: number, range: RangeOfState): number => (value - range.low) / (range.high - range.low);
    const found = this.raster.at(share(x, drawn.x), share(y, drawn.y));
    return { lines: found === undefined ? lines : [...lines, found.label] };
  }
}
