// What pictures are drawn with: the part of a canvas that they need, so that the same drawing goes into an SVG file.

type Canvas = CanvasRenderingContext2D;

export interface Pen {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  stroke(): void;
  fill(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
  setLineDash(pattern: number[]): void;
  save(): void;
  restore(): void;
  clip(): void;
  translate(x: number, y: number): void;
  rotate(angle: number): void;
  image(picture: HTMLCanvasElement, x: number, y: number, width: number, height: number): void;
}

/** A canvas as a pen. */
export function canvasPen(context: Canvas): Pen {
  const pen = context as unknown as Pen;
  pen.image = (picture, x, y, width, height) => {
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, x, y, width, height);
  };
  return pen;
}
