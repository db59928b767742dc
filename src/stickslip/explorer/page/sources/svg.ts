// A pen that writes SVG. It records what is drawn and knows no more of a canvas than `Pen` asks for.

import type { Pen } from "./pen";

interface Look {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  dash: number[];
  groups: number;
}

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
/** How far below the given height the baseline of a text is, in parts of its size. */
const DROPS: Partial<Record<CanvasTextBaseline, number>> = { middle: 0.35, top: 0.8, bottom: -0.2 };

export class SvgPen implements Pen {
  strokeStyle = "#000000";
  fillStyle = "#000000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  lineCap: CanvasLineCap = "butt";
  lineJoin: CanvasLineJoin = "miter";
  private dash: number[] = [];
  private path: string[] = [];
  private groups = 0;
  private clips = 0;
  private readonly saved: Look[] = [];
  private readonly lines: string[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly ruler: CanvasRenderingContext2D,
  ) {}

  toString(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.lines.join("\n")}\n</svg>\n`;
  }

  beginPath(): void {
    this.path = [];
  }
  closePath(): void {
    this.path.push("Z");
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${number(x)} ${number(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length === 0 ? "M" : "L"}${number(x)} ${number(y)}`);
  }

  arc(x: number, y: number, radius: number, from: number, to: number): void {
    const at = (angle: number): string => `${number(x + radius * Math.cos(angle))} ${number(y + radius * Math.sin(angle))}`;
    const whole = Math.abs(to - from) >= 2 * Math.PI - 1e-9;
    const end = whole ? from + Math.PI : to;
    const large = Math.abs(end - from) > Math.PI ? 1 : 0;
    this.path.push(`${this.path.length === 0 ? "M" : "L"}${at(from)}A${number(radius)} ${number(radius)} 0 ${large} 1 ${at(end)}`);
    if (whole) this.path.push(`A${number(radius)} ${number(radius)} 0 0 1 ${at(from)}Z`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}Z`);
  }

  stroke(): void {
    if (this.path.length > 0) this.lines.push(`<path d="${this.path.join("")}" fill="none" ${this.strokeLook()}/>`);
  }
  fill(): void {
    if (this.path.length > 0) this.lines.push(`<path d="${this.path.join("")}" ${this.fillLook()}/>`);
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.lines.push(`<rect ${box(x, y, width, height)} ${this.fillLook()}/>`);
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.lines.push(`<rect ${box(x, y, width, height)} fill="none" ${this.strokeLook()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 12);
    const weight = /^(\d{3}|bold)/.exec(this.font)?.[1];
    const down = (DROPS[this.textBaseline] ?? 0) * size;
    const bold = weight === undefined ? "" : ` font-weight="${weight}"`;
    const look = `font-family="sans-serif" font-size="${size}"${bold} text-anchor="${ANCHORS[this.textAlign] ?? "start"}"`;
    this.lines.push(`<text x="${number(x)}" y="${number(y + down)}" ${look} ${this.fillLook()}>${escaped(text)}</text>`);
  }

  measureText(text: string): { width: number } {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  setLineDash(pattern: number[]): void {
    this.dash = [...pattern];
  }

  save(): void {
    const { strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap, lineJoin, dash, groups } = this;
    this.saved.push({
      strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap, lineJoin, dash, groups,
    });
    this.groups = 0;
  }

  restore(): void {
    for (; this.groups > 0; this.groups--) this.lines.push("</g>");
    Object.assign(this, this.saved.pop());
  }

  clip(): void {
    const name = `clip${++this.clips}`;
    this.lines.push(`<clipPath id="${name}"><path d="${this.path.join("")}"/></clipPath>`);
    this.group(`clip-path="url(#${name})"`);
  }

  translate(x: number, y: number): void {
    this.group(`transform="translate(${number(x)} ${number(y)})"`);
  }

  rotate(angle: number): void {
    this.group(`transform="rotate(${number((angle * 180) / Math.PI)})"`);
  }

  image(picture: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.lines.push(`<image ${box(x, y, width, height)} preserveAspectRatio="none" href="${picture.toDataURL()}"/>`);
  }

  private group(attributes: string): void {
    this.lines.push(`<g ${attributes}>`);
    this.groups++;
  }

  private strokeLook(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const ends = `stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"`;
    return `stroke="${this.strokeStyle}" stroke-width="${number(this.lineWidth)}" ${ends}${dash}${this.opacity()}`;
  }

  private fillLook(): string {
    return `fill="${this.fillStyle}"${this.opacity()}`;
  }

  private opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
  }
}

function number(value: number): string {
  return String(Math.round(100 * value) / 100);
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
