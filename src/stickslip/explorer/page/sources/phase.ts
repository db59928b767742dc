// The phase plane: thick where it sticks, thin where it slips, an orbit over it, and where the motion is now.

import type { Frame } from "./frames";
import type { Motion } from "./motion";
import { STICKS } from "./motion";
import { padded, shown, span } from "./numbers";
import type { Pen } from "./pen";
import { curve, disk, Plot, type Readout } from "./plot";
import { theme } from "./theme";

export interface Rest {
  states: Record<string, number>;
  stable: boolean | null;
  stability: string;
  kind: string;
  /** From where to where each state may be, where there is a whole range of rest; null is without end. */
  interval: Record<string, [number | null, number | null]> | null;
}

export class PhasePlane {
  readonly plot: Plot;
  x = "";
  y = "";
  contact = "";
  orbit: Frame | null = null;
  equilibria: Rest[] = [];
  /** Orbit and equilibria are of other values than the motion. */
  faded = false;
  private motion: Motion | null = null;
  private time = 0;

  constructor(host: HTMLElement, onStart: (x: number, y: number) => void) {
    this.plot = new Plot(host, "Phase plane");
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers.hover = (x, y) => this.nearest(x, y);
    this.plot.handlers.click = onStart;
  }

  show(motion: Motion): void {
    this.motion = motion;
    this.plot.x = padded(this.withOrbit(span(motion.values(this.x)), this.x));
    this.plot.y = padded(this.withOrbit(span(motion.values(this.y)), this.y));
    // At once: what is painted before the next frame is seen in it.
    this.plot.paint();
  }

  mark(time: number): void {
    this.time = time;
    this.plot.paintAbove();
  }

  private withOrbit(range: [number, number], name: string): [number, number] {
    const values = this.orbit?.array(name);
    let found = values === undefined ? range : span(values, ...range);
    for (const rest of this.equilibria) {
      const [low, high] = rest.interval?.[name] ?? [];
      found = span([rest.states[name] ?? NaN, low ?? NaN, high ?? NaN], ...found);
    }
    return found;
  }

  private draw(pen: Pen): void {
    const motion = this.motion;
    if (motion === null) return;
    const colours = theme();
    const xs = motion.values(this.x);
    const ys = motion.values(this.y);
    pen.lineJoin = "round";
    pen.lineCap = "round";
    for (const { first, last, mode } of motion.stretches(this.contact)) {
      pen.strokeStyle = mode === STICKS ? colours.stick : mode < 0 ? colours.backward : colours.slip;
      pen.lineWidth = mode === STICKS ? 3.4 : 1.4;
      curve(pen, this.plot, xs, ys, first, last);
    }
    pen.globalAlpha = this.faded ? 0.3 : 1;
    this.drawOrbit(pen);
    this.drawEquilibria(pen);
    pen.globalAlpha = 1;
  }

  private drawOrbit(pen: Pen): void {
    const xs = this.orbit?.array(this.x);
    const ys = this.orbit?.array(this.y);
    if (xs === undefined || ys === undefined) return;
    pen.strokeStyle = theme().ink;
    pen.lineWidth = 2.2;
    pen.setLineDash(this.orbit?.header["stable"] === false ? [7, 5] : []);
    curve(pen, this.plot, xs, ys);
    pen.setLineDash([]);
  }

  private drawEquilibria(pen: Pen): void {
    const colours = theme();
    for (const rest of this.equilibria) {
      this.drawRange(pen, rest);
      const px = this.plot.px(rest.states[this.x] ?? NaN);
      const py = this.plot.py(rest.states[this.y] ?? NaN);
      if (!Number.isFinite(px + py)) continue;
      disk(pen, px, py, 5.5, colours.ink);
      if (!rest.stable) disk(pen, px, py, 3.5, colours.panel);
    }
  }

  /** All places at which sticking masses may rest. */
  private drawRange(pen: Pen, rest: Rest): void {
    const [x, y] = [rest.interval?.[this.x], rest.interval?.[this.y]];
    if (x === undefined || y === undefined) return;
    const [left, right] = [this.plot.px(x[0] ?? this.plot.x[0]), this.plot.px(x[1] ?? this.plot.x[1])];
    const [low, high] = [this.plot.py(y[0] ?? this.plot.y[0]), this.plot.py(y[1] ?? this.plot.y[1])];
    pen.strokeStyle = theme().ink;
    pen.lineWidth = 3;
    pen.strokeRect(left, high, right - left, low - high);
  }

  private drawAbove(pen: Pen): void {
    if (this.motion === null || this.motion.length === 0) return;
    const px = this.plot.px(this.motion.at(this.x, this.time));
    const py = this.plot.py(this.motion.at(this.y, this.time));
    const sticks = this.motion.modeAt(this.contact, this.time) === STICKS;
    disk(pen, px, py, 7.5, theme().panel);
    disk(pen, px, py, 5.5, sticks ? theme().stick : theme().slip);
  }

  private nearest(x: number, y: number): Readout | null {
    const motion = this.motion;
    if (motion === null) return null;
    const xs = motion.values(this.x);
    const ys = motion.values(this.y);
    let best = 18;
    let found = -1;
    const px = this.plot.px(x);
    const py = this.plot.py(y);
    for (let i = 0; i < xs.length; i++) {
      const distance = Math.abs(this.plot.px(xs[i]!) - px) + Math.abs(this.plot.py(ys[i]!) - py);
      if (distance < best) {
        best = distance;
        found = i;
      }
    }
    if (found < 0) return { lines: [`${this.x} ${shown(x, 4)}`, `${this.y} ${shown(y, 4)}`, "click: start here"] };
    const lines = [`${this.x} ${shown(xs[found]!)}`, `${this.y} ${shown(ys[found]!)}`, `t ${shown(motion.time[found]!)}`];
    return { lines, at: [xs[found]!, ys[found]!] };
  }
}
