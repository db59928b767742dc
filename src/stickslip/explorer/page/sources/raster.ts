// A grid of labels with colours: parameter maps and basins.

import type { Pen } from "./pen";
import type { Plot } from "./plot";
import { channels, theme } from "./theme";

export interface LegendEntry {
  key: number;
  label: string;
  colour: string;
}

export const NOT_YET = -1;

export class Raster {
  rows = 0;
  columns = 0;
  labels: ArrayLike<number> = [];
  legend = new Map<number, LegendEntry>();
  private readonly canvas = document.createElement("canvas");

  clear(): void {
    this.rows = this.columns = 0;
  }

  set(labels: ArrayLike<number>, shape: number[], legend: LegendEntry[]): void {
    [this.rows = 0, this.columns = 0] = shape;
    this.labels = labels;
    this.legend = new Map(legend.map((entry) => [entry.key, entry]));
    this.paint();
  }

  /** What is said of the place (x, y), parts of the whole from the left and from below. */
  at(x: number, y: number): LegendEntry | undefined {
    const column = Math.floor(x * this.columns);
    const row = Math.floor(y * this.rows);
    if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) return undefined;
    return this.legend.get(this.labels[row * this.columns + column]!);
  }

  draw(pen: Pen, plot: Plot, x: [number, number], y: [number, number]): void {
    if (this.rows === 0) return;
    const left = plot.px(x[0]);
    const top = plot.py(y[1]);
    pen.image(this.canvas, left, top, plot.px(x[1]) - left, plot.py(y[0]) - top);
  }

  /** A pixel for a cell; the first row is the lowest. */
  private paint(): void {
    if (this.rows === 0) return;
    this.canvas.width = this.columns;
    this.canvas.height = this.rows;
    const context = this.canvas.getContext("2d")!;
    const picture = context.createImageData(this.columns, this.rows);
    const unknown = channels(theme().quiet.startsWith("#") ? theme().quiet : "#888888");
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns; column++) {
        const label = this.labels[row * this.columns + column]!;
        if (label === NOT_YET) continue;
        const entry = this.legend.get(label);
        const colour = entry === undefined ? unknown : channels(entry.colour);
        picture.data.set([...colour, 255], 4 * ((this.rows - 1 - row) * this.columns + column));
      }
    }
    context.putImageData(picture, 0, 0);
  }
}
