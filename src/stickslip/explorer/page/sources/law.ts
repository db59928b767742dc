// Friction against sliding velocity: the law below, what the motion makes of it above.

import type { Motion } from "./motion";
import { STICKS } from "./motion";
import { padded, shown, span } from "./numbers";
import type { Pen } from "./pen";
import { curve, disk, line, Plot } from "./plot";
import { theme } from "./theme";

export class FrictionLaw {
  readonly plot: Plot;
  contact = "";
  private motion: Motion | null = null;
  private time = 0;

  constructor(host: HTMLElement) {
    this.plot = new Plot(host, "Friction force against sliding velocity");
    this.plot.draw = (pen) => this.draw(pen);
    this.plot.drawAbove = (pen) => this.drawAbove(pen);
    this.plot.handlers.hover = (x, y) => ({ lines: [`${this.plot.xLabel} ${shown(x, 4)}`, `${this.plot.yLabel} ${shown(y, 4)}`] });
  }

  show(motion: Motion): void {
    this.motion = motion;
    const law = motion.law(this.contact);
    const limit = span(motion.values(`limit.${this.contact}`));
    let force = span(motion.values(`force.${this.contact}`));
    force = span([limit[1], -limit[1]].filter(Number.isFinite), ...force);
    // The law is drawn where the motion goes, not where it is merely defined.
    this.plot.x = padded(span([0], ...span(motion.values(`v.${this.contact}`))), 0.08);
    this.plot.y = padded(law === null ? force : span(law[1].filter((_, i) => this.inside(law[0][i]!)), ...force), 0.08);
    this.plot.redraw();
  }

  mark(time: number): void {
    this.time = time;
    this.plot.paintAbove();
  }

  private inside(v: number): boolean {
    return v >= this.plot.x[0] && v <= this.plot.x[1];
  }

  private draw(pen: Pen): void {
    const motion = this.motion;
    if (motion === null) return;
    const colours = theme();
    pen.strokeStyle = colours.faint;
    pen.lineWidth = 1;
    line(pen, this.plot.left, this.plot.py(0), this.plot.right, this.plot.py(0));
    line(pen, this.plot.px(0), this.plot.top, this.plot.px(0), this.plot.bottom);
    this.drawLaw(pen, motion);
    const v = motion.values(`v.${this.contact}`);
    const force = motion.values(`force.${this.contact}`);
    pen.lineJoin = "round";
    for (const { first, last, mode } of motion.stretches(this.contact)) {
      pen.strokeStyle = mode === STICKS ? colours.stick : mode < 0 ? colours.backward : colours.slip;
      pen.lineWidth = mode === STICKS ? 3.4 : 1.6;
      // From stick to slip the force may jump: stretches are not joined.
      curve(pen, this.plot, v, force, first, Math.max(last - 1, first + 1));
    }
  }

  private drawLaw(pen: Pen, motion: Motion): void {
    const law = motion.law(this.contact);
    if (law === null) return;
    pen.strokeStyle = theme().faint;
    pen.lineWidth = 6;
    pen.lineCap = "round";
    const [v, force] = law;
    const zero = v.findIndex((value) => value > 0);
    if (zero > 0) {
      curve(pen, this.plot, v, force, 0, zero);
      curve(pen, this.plot, v, force, zero, v.length);
    } else curve(pen, this.plot, v, force);
    const limit = motion.at(`limit.${this.contact}`, this.time);
    if (limit > 0) line(pen, this.plot.px(0), this.plot.py(-limit), this.plot.px(0), this.plot.py(limit));
    pen.lineCap = "butt";
  }

  private drawAbove(pen: Pen): void {
    const motion = this.motion;
    if (motion === null || motion.length === 0) return;
    const i = motion.indexAt(this.time);
    const sticks = motion.modeAt(this.contact, this.time) === STICKS;
    const px = this.plot.px(motion.values(`v.${this.contact}`)[i]!);
    const py = this.plot.py(motion.values(`force.${this.contact}`)[i]!);
    disk(pen, px, py, 7.5, theme().panel);
    disk(pen, px, py, 5.5, sticks ? theme().stick : theme().slip);
  }
}
