// The time history: curves of quantities, shaded where the contact sticks.

import type { Motion } from "./motion";
import { STICKS } from "./motion";
import { padded, shown, span } from "./numbers";
import type { Pen } from "./pen";
import { curve, disk, line, Plot, type Range, type Readout } from "./plot";
import { theme } from "./theme";

export class TimeHistory {
  readonly plot: Plot;
  quantities: string[] = [];
  contact = "";
  private motion: Motion | null = null;
  private time = 0;
  /** A stretch of time chosen by a box; null: all of it. */
  private chosen: Range | null = null;

  constructor(host: HTMLElement, onTime: (time: number) => void) {
    this.plot = new Plot(host, "Time history");
    this.plot.zooms = true;
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers = {
      click: onTime,
      hover: (x) => this.readout(x),
      box: (x) => this.choose(x),
      moved: () => (this.chosen = this.plot.x),
    };
  }

  show(motion: Motion): void {
    this.motion = motion;
    // A stretch of another motion, which this one does not reach, shows nothing of it.
    if (this.chosen !== null && !(this.chosen[0] < motion.end && this.chosen[1] > motion.start)) this.chosen = null;
    this.fit();
  }

  /** Look at a stretch of time; null shows all of it. */
  choose(range: Range | null): void {
    this.chosen = range;
    this.fit();
  }

  mark(time: number): void {
    this.time = time;
    this.plot.paintAbove();
  }

  private fit(): void {
    const motion = this.motion;
    if (motion === null) return;
    this.plot.x = this.chosen ?? [motion.start, motion.end];
    let range: [number, number] = [Infinity, -Infinity];
    const first = motion.indexAt(this.plot.x[0]);
    const last = motion.indexAt(this.plot.x[1]) + 1;
    for (const name of this.quantities) range = span(Array.prototype.slice.call(motion.values(name), first, last), ...range);
    this.plot.y = padded(range, 0.08);
    this.plot.redraw();
  }

  private draw(pen: Pen): void {
    const motion = this.motion;
    if (motion === null) return;
    const colours = theme();
    this.shade(pen, motion);
    pen.lineJoin = "round";
    pen.lineWidth = 1.5;
    this.quantities.forEach((name, i) => {
      pen.strokeStyle = colours.series[i % colours.series.length]!;
      curve(pen, this.plot, motion.time, motion.values(name));
    });
  }

  private shade(pen: Pen, motion: Motion): void {
    pen.fillStyle = theme().shade;
    for (const { first, last, mode } of motion.stretches(this.contact)) {
      if (mode !== STICKS) continue;
      const from = this.plot.px(motion.time[first]!);
      const to = this.plot.px(motion.time[last - 1]!);
      if (to > this.plot.left && from < this.plot.right) {
        pen.fillRect(from, this.plot.top, Math.max(to - from, 0.5), this.plot.bottom - this.plot.top);
      }
    }
  }

  private drawAbove(pen: Pen): void {
    const motion = this.motion;
    if (motion === null) return;
    const colours = theme();
    const px = this.plot.px(this.time);
    pen.strokeStyle = colours.quiet;
    pen.lineWidth = 1;
    line(pen, px, this.plot.top, px, this.plot.bottom);
    this.quantities.forEach((name, i) => {
      const py = this.plot.py(motion.at(name, this.time));
      disk(pen, px, py, 6, colours.panel);
      disk(pen, px, py, 4, colours.series[i % colours.series.length]!);
    });
  }

  private readout(time: number): Readout | null {
    const motion = this.motion;
    if (motion === null) return null;
    const values = this.quantities.map((name) => `${name} ${shown(motion.at(name, time))}`);
    const sticks = motion.modeAt(this.contact, time) === STICKS ? ["sticks"] : [];
    const first = this.quantities[0];
    const lines = [`t ${shown(time)}`, ...values, ...sticks];
    return first === undefined ? { lines } : { lines, at: [time, motion.at(first, time)] };
  }
}
