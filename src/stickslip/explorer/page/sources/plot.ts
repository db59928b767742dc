// A picture with axes on two canvases: the data below, what moves (markers, read-outs, boxes) above, so that an
// animation never draws the data again.

import { make } from "./elements";
import { shown, ticks, type Ticks } from "./numbers";
import { canvasPen, type Pen } from "./pen";
import { SvgPen } from "./svg";
import { onTheme, theme } from "./theme";

export type Range = [number, number];

export interface Readout {
  lines: string[];
  /** A point of the data that the read-out speaks of. */
  at?: [number, number];
}

export interface PlotHandlers {
  click?(x: number, y: number, near: (px: number, py: number) => number): void;
  box?(x: Range, y: Range): void;
  hover?(x: number, y: number): Readout | null;
  /** The range was changed by wheel or by shift and drag. */
  moved?(): void;
}

/** Colours, their words, and all of these where there are too many. */
export type Key = [colour: string, words: string, all: string][];

interface KeyEntry {
  colour: string;
  words: string;
  x: number;
}

const RIGHT = 14;
/** From one row of the key to the next, in pixels. */
const KEY_STEP = 18;
/** Pixels that a pointer may move in a click. */
const STILL = 4;

export class Plot {
  x: Range = [0, 1];
  y: Range = [0, 1];
  xLabel = "";
  yLabel = "";
  draw: (pen: Pen) => void = () => undefined;
  drawAbove: (pen: Pen) => void = () => undefined;
  handlers: PlotHandlers = {};
  /** Whether wheel, pan and boxes change what is seen. */
  zooms = false;
  /** Whether the range is one that was moved to by wheel, by keys, or by shift and drag. */
  isMoved = false;
  /** Colours with their words: in files they stand below the picture, on the page beside it. */
  key: Key = [];
  width = 0;
  height = 0;
  left = 48;
  painted = 0;
  private readonly below: HTMLCanvasElement;
  private readonly above: HTMLCanvasElement;
  private pointer: [number, number] | null = null;
  private pressed: [number, number] | null = null;
  private panning = false;
  private cursor: [number, number] | null = null;
  private dirty = false;
  private dirtyAbove = false;
  private looked = "";

  constructor(
    readonly host: HTMLElement,
    readonly name: string,
  ) {
    this.below = make("canvas", { "aria-hidden": "true" });
    this.above = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "picture", "aria-label": name, class: "above" });
    host.classList.add("plot");
    host.append(this.below, this.above);
    new ResizeObserver(() => this.resize()).observe(host);
    onTheme(() => this.redraw());
    this.listen();
    this.resize();
  }

  /** What is said of the picture to those who do not see it. */
  private describe(): void {
    const text = `${this.name}: ${this.yLabel} over ${this.xLabel}. Arrow keys move a cursor, Enter clicks.`;
    if (this.above.getAttribute("aria-label") !== text) this.above.setAttribute("aria-label", text);
  }

  // -- from numbers to pixels and back

  get right(): number {
    return this.width - RIGHT;
  }
  get top(): number {
    return 2 * theme().size + 2;
  }
  get bottom(): number {
    return this.height - 3 * theme().size + 2;
  }
  px(x: number): number {
    return this.left + ((x - this.x[0]) / (this.x[1] - this.x[0])) * (this.right - this.left);
  }
  py(y: number): number {
    return this.bottom - ((y - this.y[0]) / (this.y[1] - this.y[0])) * (this.bottom - this.top);
  }
  xAt(px: number): number {
    return this.x[0] + ((px - this.left) / (this.right - this.left)) * (this.x[1] - this.x[0]);
  }
  yAt(py: number): number {
    return this.y[0] + ((this.bottom - py) / (this.bottom - this.top)) * (this.y[1] - this.y[0]);
  }

  /** Look at a range; `key` names it: who has moved away from this very range stays where he is. */
  look(key: string, x: Range, y: Range): void {
    this.isMoved &&= key === this.looked;
    this.looked = key;
    if (!this.isMoved) [this.x, this.y] = [x, y];
    this.redraw();
  }

  private moved(): void {
    this.isMoved = true;
    this.handlers.moved?.();
  }

  // -- painting

  redraw(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => this.paint());
  }

  redrawAbove(): void {
    if (this.dirtyAbove) return;
    this.dirtyAbove = true;
    requestAnimationFrame(() => this.paintAbove());
  }

  /** At once, where a frame is being made anyway. */
  paint(): void {
    this.dirty = false;
    if (this.width < 20 || this.height < 20) return;
    const pen = fresh(this.below, this.width, this.height);
    this.paintWith(pen);
    this.paintAbove();
    this.describe();
    this.painted++;
    this.host.dispatchEvent(new CustomEvent("painted"));
  }

  paintAbove(): void {
    this.dirtyAbove = false;
    if (this.width < 20 || this.height < 20) return;
    const pen = fresh(this.above, this.width, this.height);
    this.clipped(pen, () => this.drawAbove(pen));
    if (this.pressed !== null && this.pointer !== null && this.zooms && !this.panning) this.paintBox(pen);
    else this.paintReadout(pen);
  }

  private paintWith(pen: Pen): void {
    this.measure(pen);
    this.paintGrid(pen);
    this.clipped(pen, () => this.draw(pen));
    this.paintFrame(pen);
  }

  private clipped(pen: Pen, draw: () => void): void {
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top, this.right - this.left, this.bottom - this.top);
    pen.clip();
    draw();
    pen.restore();
  }

  /** As many as have room for their labels. */
  private xTicks(pen: Pen): Ticks {
    for (let count = Math.max(2, Math.floor((this.right - this.left) / (6.4 * theme().size))); ; count--) {
      const found = ticks(this.x[0], this.x[1], count);
      const widest = Math.max(0, ...found.labels.map((label) => pen.measureText(label).width));
      const [first = 0, second = Infinity] = found.values;
      if (count <= 2 || this.px(second) - this.px(first) > widest + theme().size / 2) return found;
    }
  }
  private yTicks(): Ticks {
    return ticks(this.y[0], this.y[1], Math.max(3, Math.floor((this.bottom - this.top) / (4.6 * theme().size))));
  }

  private measure(pen: Pen): void {
    pen.font = `${theme().size}px ${theme().font}`;
    const widths = this.yTicks().labels.map((label) => pen.measureText(label).width);
    // In steps, so that curves do not jump sideways while a slider is dragged.
    this.left = 14 + 8 * Math.ceil(Math.max(20, ...widths) / 8);
  }

  private paintGrid(pen: Pen): void {
    const colours = theme();
    pen.lineWidth = 1;
    pen.strokeStyle = colours.grid;
    pen.fillStyle = colours.quiet;
    pen.font = `${theme().size}px ${colours.font}`;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const across = this.xTicks(pen);
    let taken = -Infinity;
    across.values.forEach((value, i) => {
      const at = Math.round(this.px(value)) + 0.5;
      const label = across.labels[i]!;
      const half = pen.measureText(label).width / 2;
      // The last one stays inside of the picture, where it can be read.
      const middle = Math.min(at, this.width - 1 - half);
      line(pen, at, this.top, at, this.bottom);
      if (middle - half < taken + 4) return;
      pen.fillText(label, middle, this.bottom + 6);
      taken = middle + half;
    });
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const up = this.yTicks();
    up.values.forEach((value, i) => {
      const at = Math.round(this.py(value)) + 0.5;
      line(pen, this.left, at, this.right, at);
      pen.fillText(up.labels[i]!, this.left - 6, at);
    });
  }

  private paintFrame(pen: Pen): void {
    const colours = theme();
    pen.strokeStyle = colours.faint;
    pen.lineWidth = 1;
    pen.setLineDash([]);
    line(pen, this.left, this.bottom + 0.5, this.right, this.bottom + 0.5);
    line(pen, this.left - 0.5, this.top, this.left - 0.5, this.bottom);
    pen.fillStyle = colours.ink;
    pen.font = `${theme().size}px ${colours.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.fillText(this.yLabel, 4, theme().size);
    pen.textAlign = "right";
    pen.fillText(this.xLabel, this.right, this.height - 7);
  }

  private paintBox(pen: Pen): void {
    const [x0, y0] = this.pressed!;
    const [x1, y1] = this.pointer!;
    pen.fillStyle = theme().accent;
    pen.globalAlpha = 0.12;
    pen.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
    pen.globalAlpha = 1;
    pen.strokeStyle = theme().accent;
    pen.lineWidth = 1.5;
    pen.strokeRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  }

  private paintReadout(pen: Pen): void {
    const at = this.pointer ?? this.cursor;
    if (at === null || !this.inside(at)) return;
    const x = this.xAt(at[0]);
    const y = this.yAt(at[1]);
    const readout = this.handlers.hover?.(x, y) ?? { lines: [`${shown(x, 4)}, ${shown(y, 4)}`] };
    const [px, py] = readout.at === undefined ? at : [this.px(readout.at[0]), this.py(readout.at[1])];
    const colours = theme();
    pen.strokeStyle = colours.faint;
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    line(pen, px, this.top, px, this.bottom);
    line(pen, this.left, py, this.right, py);
    pen.setLineDash([]);
    if (this.pointer === null) disk(pen, px, py, 5, colours.accent);
    this.paintTip(pen, readout.lines, px, py);
  }

  private paintTip(pen: Pen, lines: string[], px: number, py: number): void {
    const colours = theme();
    pen.font = `${theme().size}px ${colours.font}`;
    const width = Math.max(...lines.map((text) => pen.measureText(text).width)) + 16;
    const step = theme().size + 5;
    const height = step * lines.length + 9;
    const x = px + 14 + width > this.width ? Math.max(2, px - 14 - width) : px + 14;
    const y = Math.min(Math.max(2, py - height - 8), this.height - height - 2);
    pen.globalAlpha = 0.94;
    pen.fillStyle = colours.panel;
    pen.fillRect(x, y, width, height);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.faint;
    pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    pen.fillStyle = colours.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    lines.forEach((text, i) => pen.fillText(text, x + 8, y + 5 + step * (i + 0.5)));
  }

  // -- pictures for files

  svg(): string {
    const rows = this.keyRows();
    const pen = new SvgPen(this.width, this.height + KEY_STEP * rows.length, ruler());
    this.paintFile(pen, rows);
    return pen.toString();
  }

  png(): Promise<Blob> {
    const rows = this.keyRows();
    const canvas = document.createElement("canvas");
    this.paintFile(fresh(canvas, this.width, this.height + KEY_STEP * rows.length, 2), rows);
    return new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error("the picture could not be made")) : resolve(blob)), "image/png");
    });
  }

  /** The picture with the key to its colours below it. */
  private paintFile(pen: Pen, rows: KeyEntry[][]): void {
    pen.fillStyle = theme().panel;
    pen.fillRect(0, 0, this.width, this.height + KEY_STEP * rows.length);
    this.paintWith(pen);
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    rows.forEach((row, i) => {
      const middle = this.height + KEY_STEP * (i + 0.5);
      for (const { colour, words, x } of row) {
        pen.fillStyle = colour;
        pen.fillRect(x, middle - 5, 10, 10);
        pen.fillStyle = theme().ink;
        pen.fillText(words, x + 15, middle);
      }
    });
  }

  /** The entries of the key in rows that are no wider than the picture. */
  private keyRows(): KeyEntry[][] {
    const pen = ruler();
    pen.font = `${theme().size}px ${theme().font}`;
    const rows: KeyEntry[][] = [];
    let x = Infinity;
    for (const [colour, words] of this.key) {
      const width = 15 + pen.measureText(words).width;
      if (x + width > this.right) {
        rows.push([]);
        x = this.left;
      }
      rows.at(-1)!.push({ colour, words, x });
      x += width + 14;
    }
    return rows;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.paint();
  }

  // -- pointer and keys

  private inside([px, py]: [number, number]): boolean {
    return px >= this.left && px <= this.right && py >= this.top && py <= this.bottom;
  }

  private at(event: MouseEvent): [number, number] {
    const frame = this.above.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  private listen(): void {
    const canvas = this.above;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.forget());
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.typed(event));
    canvas.addEventListener("blur", () => {
      this.cursor = null;
      this.redrawAbove();
    });
  }

  private press(event: PointerEvent): void {
    if (event.button > 1) return;
    this.pointer = this.at(event);
    this.pressed = this.pointer;
    this.panning = this.zooms && (event.shiftKey || event.button === 1);
    if (this.inside(this.pointer)) this.above.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const before = this.pointer;
    this.pointer = this.at(event);
    if (this.pressed !== null && this.panning && before !== null) {
      this.shift(this.pointer[0] - before[0], this.pointer[1] - before[1]);
    }
    this.redrawAbove();
  }

  private release(event: PointerEvent): void {
    const from = this.pressed;
    const to = this.at(event);
    this.pressed = null;
    if (from === null) return;
    if (this.panning) {
      this.moved();
    } else if (Math.hypot(to[0] - from[0], to[1] - from[1]) <= STILL) {
      if (this.inside(to)) this.clickAt(to);
    } else if (this.zooms && Math.abs(to[0] - from[0]) > STILL) {
      this.boxBetween(from, to);
    }
    this.redrawAbove();
  }

  private clickAt([px, py]: [number, number]): void {
    this.handlers.click?.(this.xAt(px), this.yAt(py), (x, y) => Math.hypot(this.px(x) - px, this.py(y) - py));
  }

  private boxBetween(from: [number, number], to: [number, number]): void {
    const limit = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
    const xs = [from[0], to[0]].map((px) => this.xAt(limit(px, this.left, this.right))).sort((a, b) => a - b);
    const ys = [from[1], to[1]].map((py) => this.yAt(limit(py, this.top, this.bottom))).sort((a, b) => a - b);
    this.handlers.box?.([xs[0]!, xs[1]!], [ys[0]!, ys[1]!]);
  }

  /** Say nothing more of the place under the pointer, until it moves. */
  leave(): void {
    this.pointer = null;
    this.redrawAbove();
  }

  /** Give up a box or a pan. */
  forget(): boolean {
    const busy = this.pressed !== null;
    this.pressed = null;
    this.redrawAbove();
    return busy;
  }

  private shift(px: number, py: number): void {
    const dx = (px / (this.right - this.left)) * (this.x[1] - this.x[0]);
    const dy = (py / (this.bottom - this.top)) * (this.y[1] - this.y[0]);
    this.x = [this.x[0] - dx, this.x[1] - dx];
    this.y = [this.y[0] + dy, this.y[1] + dy];
    this.redraw();
  }

  private wheel(event: WheelEvent): void {
    if (!this.zooms || !(event.ctrlKey || this.above === document.activeElement)) return;
    event.preventDefault();
    this.zoomAt(this.at(event), 1.0015 ** event.deltaY);
    this.moved();
  }

  zoomAt([px, py]: [number, number], factor: number): void {
    const x = this.xAt(px);
    const y = this.yAt(py);
    this.x = [x + (this.x[0] - x) * factor, x + (this.x[1] - x) * factor];
    this.y = [y + (this.y[0] - y) * factor, y + (this.y[1] - y) * factor];
    this.redraw();
  }

  private typed(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    };
    const step = steps[event.key];
    const middle: [number, number] = [(this.left + this.right) / 2, (this.top + this.bottom) / 2];
    if (step !== undefined) {
      const [px, py] = this.cursor ?? middle;
      const size = event.shiftKey ? 20 : 4;
      this.cursor = [
        Math.min(Math.max(px + size * step[0], this.left), this.right),
        Math.min(Math.max(py + size * step[1], this.top), this.bottom),
      ];
      this.pointer = null;
      this.redrawAbove();
    } else if (event.key === "Enter") {
      this.clickAt(this.cursor ?? middle);
    } else if (this.zooms && (event.key === "+" || event.key === "-")) {
      this.zoomAt(this.cursor ?? middle, event.key === "+" ? 0.8 : 1.25);
      this.moved();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What texts are measured with where nothing is drawn yet. */
function ruler(): CanvasRenderingContext2D {
  return document.createElement("canvas").getContext("2d")!;
}

/** A canvas wiped, in the size of its host and the pixels of the screen. */
export function fresh(canvas: HTMLCanvasElement, width: number, height: number, ratio = window.devicePixelRatio || 1): Pen {
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.globalAlpha = 1;
  context.setLineDash([]);
  return canvasPen(context);
}

export function line(pen: Pen, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

export function disk(pen: Pen, x: number, y: number, radius: number, colour: string): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
}

/** A curve through the samples from `first` to `last`, in the axes of a plot. */
export function curve(pen: Pen, plot: Plot, xs: ArrayLike<number>, ys: ArrayLike<number>, first = 0, last = xs.length): void {
  pen.beginPath();
  let down = false;
  for (let i = first; i < last; i++) {
    const px = plot.px(xs[i]!);
    const py = plot.py(ys[i]!);
    if (!Number.isFinite(px) || !Number.isFinite(py)) down = false;
    else if (down) pen.lineTo(px, py);
    else {
      pen.moveTo(px, py);
      down = true;
    }
  }
  pen.stroke();
}
