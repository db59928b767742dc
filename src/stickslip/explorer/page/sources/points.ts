// A million points: counted into pixels by a plain loop over typed arrays, then coloured by how many fell into each.

import type { Pen } from "./pen";
import type { Plot } from "./plot";
import { channels, theme } from "./theme";

/** Up to these numbers of points in a pixel they are drawn that many pixels wide. */
const WIDE: [number, number][] = [[0.015, 3], [0.25, 2]];
/** The opacity of a pixel with one point, where points are few and where they are many. */
const ALONE = 0.75;
const CROWDED = 0.35;

/** The states of the points of one frame. */
interface Chunk {
  first: number;
  states: ArrayLike<number>;
  phase: ArrayLike<number> | undefined;
  width: number;
}

export class Points {
  count = 0;
  value = new Float64Array(1024);
  point = new Float64Array(1024);
  up = new Int8Array(1024);
  private readonly canvas = document.createElement("canvas");
  /** How many points are in each pixel: those on the way up or alone, behind them those on the way down. */
  private counts = new Uint16Array(0);
  private splatted = 0;
  private key = "";
  private dot = 1;
  private chunks: Chunk[] = [];

  clear(): void {
    this.count = 0;
    this.chunks = [];
    this.key = "";
  }

  append(value: ArrayLike<number>, point: ArrayLike<number>, up: ArrayLike<number> | undefined): void {
    const total = this.count + value.length;
    if (total > this.value.length) this.grow(Math.max(total, 2 * this.value.length));
    this.value.set(value, this.count);
    this.point.set(point, this.count);
    if (up !== undefined) this.up.set(up, this.count);
    else this.up.fill(0, this.count, total);
    this.count = total;
  }

  /** The states at the points that were just appended, one row for each, and the times at which motions start there. */
  remember(count: number, states: ArrayLike<number>, phase: ArrayLike<number> | undefined): void {
    if (count > 0) this.chunks.push({ first: this.count - count, states, phase, width: states.length / count });
  }

  /** The states and the time at a point, if they are known. */
  stateAt(point: number): { states: number[]; phase: number } | null {
    const chunk = this.chunks.findLast((each) => each.first <= point);
    if (chunk === undefined) return null;
    const row = point - chunk.first;
    const states = Array.from({ length: chunk.width }, (_, i) => chunk.states[row * chunk.width + i] ?? NaN);
    return states.every(Number.isFinite) ? { states, phase: chunk.phase?.[row] ?? 0 } : null;
  }

  private grow(size: number): void {
    const [value, point, up] = [new Float64Array(size), new Float64Array(size), new Int8Array(size)];
    value.set(this.value);
    point.set(this.point);
    up.set(this.up);
    [this.value, this.point, this.up] = [value, point, up];
  }

  draw(pen: Pen, plot: Plot): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round((plot.right - plot.left) * ratio));
    const height = Math.max(1, Math.round((plot.bottom - plot.top) * ratio));
    const crowd = (this.count * ratio ** 2) / (width * height);
    this.dot = Math.max(1, Math.round(ratio * (WIDE.find(([most]) => crowd <= most)?.[1] ?? 1)));
    const key = [width, height, this.dot, ...plot.x, ...plot.y].join();
    if (key !== this.key || this.splatted > this.count) this.wipe(width, height, key);
    this.splat(plot, width, height);
    this.colour(width, height);
    pen.image(this.canvas, plot.left, plot.top, width / ratio, height / ratio);
  }

  private wipe(width: number, height: number, key: string): void {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.counts = new Uint16Array(2 * width * height);
      this.canvas.width = width;
      this.canvas.height = height;
    } else this.counts.fill(0);
    this.splatted = 0;
    this.key = key;
  }

  private splat(plot: Plot, width: number, height: number): void {
    const { value, point, up, counts, dot } = this;
    const scaleX = width / (plot.x[1] - plot.x[0]);
    const scaleY = height / (plot.y[1] - plot.y[0]);
    const [left, high] = [plot.x[0], plot.y[1]];
    const half = (dot - 1) / 2;
    const [lastX, lastY, behind] = [width - dot, height - dot, width * height];
    for (let i = this.splatted; i < this.count; i++) {
      const x = (value[i]! - left) * scaleX - half;
      const y = (high - point[i]!) * scaleY - half;
      // Not a number fails every comparison.
      if (!(x >= 0 && y >= 0 && x < lastX + 1 && y < lastY + 1)) continue;
      const first = (y | 0) * width + (x | 0) + (up[i]! < 0 ? behind : 0);
      if (dot === 1) counts[first]!++;
      else for (let row = 0; row < dot; row++) for (let at = 0; at < dot; at++) counts[first + row * width + at]!++;
    }
    this.splatted = this.count;
  }

  private colour(width: number, height: number): void {
    const context = this.canvas.getContext("2d")!;
    const picture = context.createImageData(width, height);
    const pixels = new Uint32Array(picture.data.buffer);
    const upward = ramp(theme().up, this.count);
    const downward = ramp(theme().down, this.count);
    const last = upward.length - 1;
    const { counts } = this;
    const behind = pixels.length;
    for (let i = 0; i < behind; i++) {
      const up = counts[i]!;
      const down = counts[i + behind]!;
      if (up >= down) {
        if (up > 0) pixels[i] = upward[up < last ? up : last]!;
      } else pixels[i] = downward[down < last ? down : last]!;
    }
    context.putImageData(picture, 0, 0);
  }

  /** The point nearest to a place on the screen, or -1 if none is within so many pixels. */
  nearest(plot: Plot, x: number, y: number, within: number): number {
    const scaleX = (plot.right - plot.left) / (plot.x[1] - plot.x[0]);
    const scaleY = (plot.bottom - plot.top) / (plot.y[1] - plot.y[0]);
    let best = within * within;
    let found = -1;
    for (let i = 0; i < this.count; i++) {
      const dx = (this.value[i]! - x) * scaleX;
      const dy = (this.point[i]! - y) * scaleY;
      const distance = dx * dx + dy * dy;
      if (distance < best) {
        best = distance;
        found = i;
      }
    }
    return found;
  }
}

/** Pixels by count: the more points, the less can be seen through them. */
function ramp(colour: string, count: number): Uint32Array {
  const [red, green, blue] = channels(colour);
  const seen = count > 100_000 ? CROWDED : ALONE;
  return Uint32Array.from({ length: 64 }, (_, n) => {
    const alpha = Math.round(255 * (1 - (1 - seen) ** n));
    return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}
