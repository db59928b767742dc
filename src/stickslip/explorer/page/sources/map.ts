// The parameter map: a motion for every pair of two parameters, coloured by what it does.

import { remembered, tellProgress, type App } from "./app";
import type { Branches } from "./branches";
import { labelled } from "./diagram";
import { byId, fillSelect, make } from "./elements";
import { bindNumber, bindSelect, forgiveFields } from "./fields";
import type { Frame } from "./frames";
import { inField, shown } from "./numbers";
import type { Pen } from "./pen";
import { disk, Plot, type Key, type Range, type Readout } from "./plot";
import { Raster, type LegendEntry } from "./raster";
import { Freshness, valuesOf } from "./stale";
import { theme } from "./theme";
import type { MapView, RangeOfParameter } from "./view";

type Axis = "x" | "y";

export class MapPanel {
  readonly plot: Plot;
  readonly raster = new Raster();
  private readonly status = byId("map-status");
  private readonly freshness: Freshness;
  private running = false;
  private computed: MapView | null = null;
  private readonly zoomed: MapView[] = [];

  constructor(
    private readonly app: App,
    private readonly branches: () => Branches,
    private readonly onPick: (values: Record<string, number>) => void,
  ) {
    this.plot = new Plot(byId("map-plot"), "Parameter map");
    this.plot.zooms = true;
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers = {
      hover: (x, y) => this.readout(x, y),
      click: (x, y) => this.onPick({ [this.app.view.map.x.parameter]: x, [this.app.view.map.y.parameter]: y }),
      box: (x, y) => this.zoom(x, y),
      moved: () => this.showWays(),
    };
    this.freshness = new Freshness(this.plot.host, this.status, () => this.key());
    this.bind();
  }

  private bind(): void {
    for (const axis of ["x", "y"] as const) {
      bindSelect(`map-${axis}-parameter`, (parameter) => {
        const known = this.app.description.parameters.find((each) => each.name === parameter);
        if (known !== undefined) this.change(axis, { parameter, low: known.low, high: known.high });
      });
      for (const name of ["low", "high", "points"] as const) {
        bindNumber(`map-${axis}-${name}`, (value) => this.change(axis, { [name]: value }));
      }
    }
    for (const name of ["transient", "observed"] as const) {
      bindNumber(`map-${name}`, (value) => this.app.commit({ diagram: { ...this.app.view.diagram, [name]: value } }));
    }
    bindSelect("map-colour", (colour) => {
      this.app.commit({ map: { ...this.app.view.map, colour } });
      if (this.raster.rows > 0) this.run();
    });
    byId("map-run").addEventListener("click", () => (this.running ? this.stop() : this.run()));
    byId("map-back").addEventListener("click", () => this.back());
  }

  private change(axis: Axis, part: Partial<RangeOfParameter>): void {
    const { map } = this.app.view;
    this.app.commit({ map: { ...map, [axis]: { ...map[axis], ...part } } });
  }

  /** Nothing is computed of these axes. */
  private empty(): void {
    this.stop();
    this.raster.clear();
    this.freshness.forget();
    this.computed = null;
    this.zoomed.length = 0;
    this.plot.key = [];
    showKey(byId("map-legend"), []);
    this.status.textContent = "Run computes a motion for each pair of values, and colours what it does.";
  }

  /** A model was opened. */
  reset(): void {
    this.empty();
    const names = this.app.description.parameters.map((each): [string, string] => [each.name, each.name]);
    for (const axis of ["x", "y"] as const) fillSelect(byId(`map-${axis}-parameter`), names, this.app.view.map[axis].parameter);
  }

  update(): void {
    const { map } = this.app.view;
    const drawn = this.computed;
    if (drawn !== null && (drawn.x.parameter !== map.x.parameter || drawn.y.parameter !== map.y.parameter)) this.empty();
    for (const axis of ["x", "y"] as const) {
      for (const name of ["parameter", "low", "high", "points"] as const) {
        byId<HTMLInputElement>(`map-${axis}-${name}`).value = inField(map[axis][name]);
      }
    }
    for (const name of ["transient", "observed"] as const) byId<HTMLInputElement>(`map-${name}`).value = inField(this.app.view.diagram[name]);
    byId<HTMLSelectElement>("map-colour").value = map.colour;
    this.plot.look(JSON.stringify([map.x, map.y]), [map.x.low, map.x.high], [map.y.low, map.y.high]);
    this.showWays();
    this.plot.xLabel = labelled(this.app, map.x.parameter);
    this.plot.yLabel = labelled(this.app, map.y.parameter);
    this.markStale();
  }

  private showWays(): void {
    byId("map-back").toggleAttribute("disabled", this.zoomed.length === 0 && !this.plot.isMoved);
  }

  private key(): string {
    const { view, description } = this.app;
    const { model, map, diagram } = view;
    const parameters = valuesOf(description.parameters, view.parameters, map.x.parameter, map.y.parameter);
    return JSON.stringify([model, map, diagram.transient, diagram.observed, parameters, valuesOf(description.states, view.start)]);
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
    this.computed = this.app.view.map;
    this.freshness.begin();
    this.setRunning(true);
    this.status.textContent = "Computing…";
    forgiveFields("panel-map");
    this.app.commitPage(remembered(this.app, "map"));
    this.app.connection.request("map", "map", { view: this.app.view }, (frame) => this.receive(frame));
  }

  stop(): void {
    if (this.running) this.app.connection.cancel("map");
  }

  interrupt(): boolean {
    const was = this.running;
    this.stop();
    return this.plot.forget() || was;
  }

  private setRunning(running: boolean): void {
    this.running = running;
    byId("map-run").textContent = running ? "Stop" : "Run";
  }

  private receive(frame: Frame): void {
    const { header } = frame;
    const colour = frame.array("colour");
    const legend = (header["legend"] as LegendEntry[] | undefined) ?? [];
    if (colour !== undefined && this.computed !== null) {
      this.raster.set(colour, frame.shapes.get("colour")!, legend);
      this.plot.key = keyOf(legend);
      showKey(byId("map-legend"), this.plot.key);
    }
    const over = header.done || header.error !== undefined;
    if (over) this.setRunning(false);
    const unsettled = legend.some(({ label }) => label === "no period") ? ' Where there is no period, motions may have to settle for longer ("More").' : "";
    tellProgress(this.app, this.status, header, "Computing the map:", `Click a cell for its motion, drag a box to look closer.${unsettled}`);
    if (over) this.markStale();
    this.plot.redraw();
  }

  private zoom(x: Range, y: Range): void {
    const { map } = this.app.view;
    this.zoomed.push(map);
    this.go({ ...map, x: { ...map.x, low: x[0], high: x[1] }, y: { ...map.y, low: y[0], high: y[1] } });
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

  private go(map: MapView): void {
    this.app.commit({ map });
    this.run();
  }

  private draw(pen: Pen): void {
    const { map } = this.app.view;
    const drawn = this.computed;
    if (drawn !== null) this.raster.draw(pen, this.plot, [drawn.x.low, drawn.x.high], [drawn.y.low, drawn.y.high]);
    this.branches().drawSecond(pen, this.plot, map.x.parameter, map.y.parameter);
  }

  private drawAbove(pen: Pen): void {
    const { map, parameters } = this.app.view;
    const [x, y] = ([map.x.parameter, map.y.parameter] as const).map(
      (name) => parameters[name] ?? this.app.description.parameters.find((each) => each.name === name)?.value ?? NaN,
    );
    const [px, py] = [this.plot.px(x!), this.plot.py(y!)];
    disk(pen, px, py, 7, theme().panel);
    disk(pen, px, py, 5, theme().accent);
  }

  private readout(x: number, y: number): Readout {
    const { map } = this.app.view;
    const share = (value: number, range: RangeOfParameter): number => (value - range.low) / (range.high - range.low);
    const found = this.computed === null ? undefined : this.raster.at(share(x, this.computed.x), share(y, this.computed.y));
    const lines = [`${map.x.parameter} ${shown(x, 4)}`, `${map.y.parameter} ${shown(y, 4)}`];
    return { lines: found === undefined ? lines : [...lines, found.label] };
  }
}

const MOST_COLOURS = 24;
const MOST_WORDS = 6;

/** Colours with their words; there may be more kinds than colours, which then have one together. */
export function keyOf(legend: { label: string; colour: string }[]): Key {
  const words = new Map<string, string[]>();
  for (const { label, colour } of legend) words.set(colour, [...(words.get(colour) ?? []), label]);
  return [...words].slice(0, MOST_COLOURS).map(([colour, labels]) => {
    const more = labels.length > MOST_WORDS ? " and others" : "";
    return [colour, labels.slice(0, MOST_WORDS).join(", ") + more, labels.join(", ")];
  });
}

/** The key beside a picture. */
export function showKey(host: HTMLElement, key: Key): void {
  const entries = key.map(([colour, words, all]) => {
    const swatch = make("span", { class: "swatch" });
    swatch.style.background = colour;
    return make("li", { title: all }, swatch, words);
  });
  host.replaceChildren(...entries);
}
