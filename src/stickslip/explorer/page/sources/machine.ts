// The machine itself in motion, drawn from its layout: lengths are widths of a block, x to the right, y up.

import { make } from "./elements";
import { STICKS, type Motion } from "./motion";
import type { Pen } from "./pen";
import { fresh } from "./plot";
import { SvgPen } from "./svg";
import { onTheme, theme } from "./theme";
import type { End, Link, MachineLayout, Place, Push, Surface, Touch } from "./view";

type Point = [number, number];

const RADIUS = 0.5;
const RING = 0.2;
const THICK = 0.18;
/** How far a body may move from its place. */
const REACH = 0.72;
const SPACING = 0.3;
const COILS = 7;

export class MachineDrawing {
  private readonly canvas: HTMLCanvasElement;
  private machine: MachineLayout | null = null;
  private motion: Motion | null = null;
  private places = new Map<string, Place>();
  private extent: [number, number, number, number] = [-1, 1, -1, 1];
  private width = 0;
  private height = 0;
  private scale = 1;
  private time = 0;
  private pen!: Pen;

  constructor(private readonly host: HTMLElement) {
    this.canvas = make("canvas", { role: "img", "aria-label": "The machine in motion" });
    host.append(this.canvas);
    new ResizeObserver(() => this.resize()).observe(host);
    onTheme(() => this.paint());
    this.resize();
  }

  setLayout(machine: MachineLayout | null): void {
    this.machine = machine;
    this.host.hidden = machine === null;
    this.places = new Map(machine?.places.map((place) => [place.name, place]));
    if (machine !== null) this.extent = extentOf(machine);
    this.resize();
  }

  show(motion: Motion): void {
    this.motion = motion;
  }

  mark(time: number): void {
    this.time = time;
    this.paint();
  }

  svg(): string {
    const pen = new SvgPen(this.width, this.height, document.createElement("canvas").getContext("2d")!);
    pen.fillStyle = theme().panel;
    pen.fillRect(0, 0, this.width, this.height);
    this.paintWith(pen);
    return pen.toString();
  }

  png(): Promise<Blob> {
    const canvas = document.createElement("canvas");
    const pen = fresh(canvas, this.width, this.height, 2);
    pen.fillStyle = theme().panel;
    pen.fillRect(0, 0, this.width, this.height);
    this.paintWith(pen);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error("no picture")) : resolve(blob))));
  }

  private resize(): void {
    this.width = this.host.clientWidth;
    this.height = this.host.clientHeight;
    const [left, right, low, high] = this.extent;
    this.scale = Math.min(this.width / (right - left), this.height / (high - low), 150);
    this.paint();
  }

  private paint(): void {
    if (this.machine === null || this.width < 20 || this.height < 20) return;
    this.paintWith(fresh(this.canvas, this.width, this.height));
  }

  private paintWith(pen: Pen): void {
    const machine = this.machine!;
    this.pen = pen;
    pen.lineJoin = "round";
    pen.lineCap = "round";
    for (const surface of machine.surfaces) if (!surface.around) this.drawStrip(surface);
    for (const link of machine.links) this.drawLink(link);
    // Shafts go behind the rings that discs turn in.
    for (const surface of machine.surfaces) if (surface.around) this.drawRing(surface);
    for (const place of machine.places) this.drawPlace(place);
    for (const touch of machine.touches) this.drawTouch(touch);
    for (const push of machine.pushes) this.drawPush(push);
  }

  // -- where things are

  private X(x: number): number {
    return this.width / 2 + (x - (this.extent[0] + this.extent[1]) / 2) * this.scale;
  }
  private Y(y: number): number {
    return this.height / 2 - (y - (this.extent[2] + this.extent[3]) / 2) * this.scale;
  }
  private moved(body: string): number {
    return this.motion?.at(`moved.${body}`, this.time) ?? 0;
  }
  private shift(place: Place): number {
    return place.moves && place.shape !== "disk" ? this.moved(place.body) : 0;
  }
  private angle(place: Place): number {
    return place.degrees ? (this.moved(place.body) * Math.PI) / 180 : this.moved(place.body);
  }

  /** The middle of a bob: its rod keeps its length. */
  private swing(place: Place): Point {
    const most = 0.9 * place.height;
    const across = Math.min(Math.max(this.moved(place.body), -most), most);
    return [place.x + across, place.y - Math.sqrt(place.height ** 2 - across ** 2)];
  }

  private at(end: End): Point {
    const place = this.places.get(end.place)!;
    if (place.shape === "bob") {
      const [x, y] = this.swing(place);
      return [x + end.x, y + end.y + place.height];
    }
    return [place.x + end.x + this.shift(place), place.y + end.y];
  }

  // -- strokes

  private stroke(points: (Point | null)[], width: number, colour: string): void {
    const pen = this.pen;
    pen.beginPath();
    let down = false;
    for (const point of points) {
      if (point === null) down = false;
      else if (down) pen.lineTo(this.X(point[0]), this.Y(point[1]));
      else {
        pen.moveTo(this.X(point[0]), this.Y(point[1]));
        down = true;
      }
    }
    pen.lineWidth = width * Math.min(1, Math.max(0.5, this.scale / 60));
    pen.strokeStyle = colour;
    pen.stroke();
  }

  private circle(x: number, y: number, radius: number, fill: string, edge = theme().ink): void {
    const pen = this.pen;
    pen.beginPath();
    pen.arc(this.X(x), this.Y(y), radius * this.scale, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    pen.strokeStyle = edge;
    pen.lineWidth = 1.4;
    pen.stroke();
  }

  private box(x: number, y: number, width: number, height: number, fill: string): void {
    const pen = this.pen;
    const [left, top] = [this.X(x), this.Y(y + height)];
    const [wide, high] = [width * this.scale, height * this.scale];
    const round = Math.min(0.07 * this.scale, wide / 2, high / 2);
    pen.beginPath();
    pen.arc(left + round, top + round, round, Math.PI, 1.5 * Math.PI);
    pen.arc(left + wide - round, top + round, round, 1.5 * Math.PI, 2 * Math.PI);
    pen.arc(left + wide - round, top + high - round, round, 0, 0.5 * Math.PI);
    pen.arc(left + round, top + high - round, round, 0.5 * Math.PI, Math.PI);
    pen.closePath();
    pen.fillStyle = fill;
    pen.fill();
    pen.strokeStyle = theme().ink;
    pen.lineWidth = 1.4;
    pen.stroke();
  }

  private text(words: string, x: number, y: number, room: number, colour = theme().ink): void {
    const pen = this.pen;
    const size = Math.min(13, 0.24 * this.scale, (1.7 * room * this.scale) / Math.max(words.length, 1));
    if (size < 7) return;
    pen.font = `${size}px ${theme().font}`;
    pen.fillStyle = colour;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(words, this.X(x), this.Y(y));
  }

  // -- bodies

  private drawPlace(place: Place): void {
    if (place.shape === "disk") this.drawDisk(place);
    else if (place.shape === "bob") this.drawBob(place);
    else if (place.shape === "block") this.drawBlock(place);
    else this.drawWall(place);
  }

  private drawBlock(place: Place): void {
    const x = place.x + this.shift(place);
    const bottom = place.y - place.height / 2;
    const raised = place.wheels ? 0.16 : 0;
    if (place.wheels) {
      this.stroke([[place.x - place.width / 2 - 0.8, bottom], [place.x + place.width / 2 + 0.8, bottom]], 1, theme().faint);
      for (const side of [-0.3, 0.3]) this.circle(x + side * place.width, bottom + 0.08, 0.08, theme().body);
    }
    this.box(x - place.width / 2, bottom + raised, place.width, place.height - raised, theme().body);
    this.text(place.name, x, place.y + raised / 2, place.width);
  }

  private drawDisk(place: Place): void {
    const angle = this.angle(place);
    this.circle(place.x, place.y, RADIUS, theme().body);
    const tip: Point = [place.x + 0.8 * RADIUS * Math.cos(angle), place.y + 0.8 * RADIUS * Math.sin(angle)];
    this.stroke([[place.x, place.y], tip], 2, theme().ink);
    this.circle(tip[0], tip[1], 0.06, theme().ink);
    const turned = this.machine!.pushes.some((push) => push.place === place.name);
    this.text(place.name, place.x, place.y + this.rim(place) + (turned ? 0.33 : 0.17), 2);
  }

  /** How far a disc reaches, with the ring that it turns in. */
  private rim(place: Place): number {
    return RADIUS + (this.machine!.surfaces.some((surface) => surface.around === place.name) ? RING : 0);
  }

  private drawBob(place: Place): void {
    const [x, y] = this.swing(place);
    this.stroke([[place.x, place.y], [x, y]], 2, theme().ink);
    this.circle(x, y, 0.26, theme().body);
    this.hatched([place.x - 0.3, place.y], [place.x + 0.3, place.y], [0.09, 0.11], theme().quiet);
    this.text(place.name, x, y - 0.42, 2);
  }

  private drawWall(place: Place): void {
    const colour = place.moves ? theme().series[1]! : theme().quiet;
    const shift = this.shift(place);
    if (place.shape === "ceiling") {
      const low = place.y - place.height / 2;
      this.hatched([place.x - place.width / 2 + shift, low], [place.x + place.width / 2 + shift, low], [0.09, 0.11], colour);
      if (place.moves) this.text(place.body, place.x + shift, low + 0.26, 2, colour);
      return;
    }
    const masses = this.machine!.places.filter((each) => each.shape !== "wall" && each.shape !== "ceiling").map((each) => each.x);
    const inner = (Math.min(...masses) + Math.max(...masses)) / 2 > place.x;
    const x = place.x + (inner ? 0.08 : -0.08) + shift;
    this.hatched([x, place.y - place.height / 2], [x, place.y + place.height / 2], [inner ? -0.11 : 0.11, -0.09], colour);
    if (place.moves) this.text(place.body, x, place.y + place.height / 2 + 0.17, 2, colour);
  }

  /** A line with short strokes on one side: what does not move, or what is moved from outside. */
  private hatched(a: Point, b: Point, step: Point, colour: string): void {
    const count = Math.max(2, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / 0.13));
    const strokes: (Point | null)[] = [];
    for (let i = 0; i < count; i++) {
      const share = (i + 0.5) / count;
      const from: Point = [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
      strokes.push(from, [from[0] + step[0], from[1] + step[1]], null);
    }
    this.stroke(strokes, 1, colour);
    this.stroke([a, b], 1.8, colour);
  }

  // -- what bodies slide on

  private drawStrip(surface: Surface): void {
    const colours = theme();
    const out = surface.above ? 1 : -1;
    const shift = this.moved(surface.body);
    if (surface.kind === "belt") {
      this.box(surface.left, surface.above ? surface.y : surface.y - THICK, surface.right - surface.left, THICK, colours.band);
    }
    this.drawTread(surface, shift, out);
    if (surface.kind !== "belt") {
      const colour = surface.kind === "ground" ? colours.ink : colours.series[1]!;
      this.stroke([[surface.left, surface.y], [surface.right, surface.y]], 1.8, colour);
    }
    if (surface.kind !== "ground") {
      this.text(surface.body, (surface.left + surface.right) / 2, surface.y + out * (THICK + 0.17), 2, colours.quiet);
    }
  }

  /** Marks that go with the surface, round and round. */
  private drawTread(surface: Surface, shift: number, out: number): void {
    const first = surface.left + 0.1;
    const room = surface.right - surface.left - 0.2 - 0.08;
    const count = Math.floor((room + 0.08) / SPACING);
    const marks: (Point | null)[] = [];
    for (let i = 0; i < count; i++) {
      const x = first + ((((i * room) / count + shift) % room) + room) % room;
      marks.push([x, surface.y + out * 0.03], [x + 0.08 * out, surface.y + out * (THICK - 0.03)], null);
    }
    this.stroke(marks, 1.2, theme().quiet);
  }

  private drawRing(surface: Surface): void {
    const place = this.places.get(surface.around)!;
    this.circle(place.x, place.y, RADIUS + RING, theme().band);
    const turned = place.degrees ? (this.moved(surface.body) * Math.PI) / 180 : this.moved(surface.body);
    const rays: (Point | null)[] = [];
    for (let i = 0; i < 12; i++) {
      const angle = (i * Math.PI) / 6 + turned;
      for (const radius of [RADIUS, RADIUS + RING]) {
        rays.push([place.x + radius * Math.cos(angle), place.y + radius * Math.sin(angle)]);
      }
      rays.push(null);
    }
    this.stroke(rays, 1.2, theme().quiet);
    if (surface.kind !== "ground") this.text(surface.body, place.x, place.y - RADIUS - RING - 0.18, 2, theme().quiet);
  }

  /** Where it rubs: thick and of the colour of stick while it sticks. */
  private drawTouch(touch: Touch): void {
    const place = this.places.get(touch.place)!;
    const sticks = this.motion?.modeAt(touch.contact, this.time) === STICKS;
    const colour = sticks ? theme().stick : theme().slip;
    const width = sticks ? 6 : 4;
    if (place.shape === "disk") {
      const rings = this.machine!.touches.filter((each) => each.place === touch.place);
      const radius = RADIUS - 0.05 * rings.indexOf(touch);
      const points = Array.from({ length: 61 }, (_, i): Point => {
        const angle = (i * Math.PI) / 30;
        return [place.x + radius * Math.cos(angle), place.y + radius * Math.sin(angle)];
      });
      this.stroke(points, width, colour);
      return;
    }
    const x = place.x + this.shift(place);
    const y = place.y + touch.y;
    this.pen.lineCap = "butt";
    this.stroke([[x + touch.left, y], [x + touch.right, y]], width, colour);
    this.pen.lineCap = "round";
  }

  // -- what joins bodies, and what pushes them

  private drawLink(link: Link): void {
    let p = this.at(link.start);
    let q = this.at(link.end);
    const [a, b] = [this.places.get(link.start.place)!, this.places.get(link.end.place)!];
    if (link.kind === "shaft") {
      this.stroke(shaft(p, q, this.turn(a) - this.turn(b)), 1.4, theme().ink);
      return;
    }
    const beside: (Point | null)[] = [];
    if (link.over !== 0) {
      beside.push(null, p, [p[0], link.over], null, [q[0], link.over], q);
      p = [p[0], link.over];
      q = [q[0], link.over];
    }
    if (link.end.post) beside.push(null, q, [q[0], b.y + b.height / 2]);
    const shape = link.kind === "damper" ? damper(p, q) : spring(p, q);
    this.stroke([...shape, ...beside], 1.5, theme().ink);
  }

  private turn(place: Place): number {
    return place.shape === "disk" || place.moves ? this.angle(place) : 0;
  }

  /** An arrow over the mass, as long as the force is large. */
  private drawPush(push: Push): void {
    const place = this.places.get(push.place)!;
    const value = Math.sign(push.weight) * (this.motion?.at(`push.${push.name}`, this.time) ?? 0);
    if (Math.abs(value) < 0.01) return;
    if (place.shape === "disk") {
      this.stroke(turning(place.x, place.y, this.rim(place) + 0.13, value), 2.2, theme().series[2]!);
      return;
    }
    const up = place.shape === "bob" ? -place.height + 0.4 : place.height / 2 + 0.18;
    const x = place.x + this.shift(place);
    const y = place.y + up;
    const tip = x + 0.8 * value;
    const head = 0.12 * Math.sign(value);
    this.stroke([[x, y], [tip, y], [tip - head, y + 0.07], null, [tip, y], [tip - head, y - 0.07]], 2.2, theme().series[2]!);
  }
}

/** The picture that a machine needs: left, right, low, high. */
function extentOf(machine: MachineLayout): [number, number, number, number] {
  if (machine.extent !== undefined) return machine.extent;
  const xs: number[] = [];
  const ys: number[] = [-0.3];
  for (const place of machine.places) {
    const reach = place.moves && place.shape !== "disk" ? REACH : 0;
    xs.push(place.x - place.width / 2 - reach, place.x + place.width / 2 + reach);
    ys.push(place.y - place.height / 2, place.y + place.height / 2 + (place.moves ? 0.3 : 0));
  }
  for (const surface of machine.surfaces) {
    const round = surface.around !== "";
    xs.push(surface.left - (round ? 0.8 : 0), surface.right + (round ? 0.8 : 0));
    if (round) ys.push(surface.y - RADIUS - RING - 0.35, surface.y + RADIUS + RING + 0.35);
    else ys.push(surface.y + (surface.above ? 0.45 : -0.45));
  }
  for (const link of machine.links) if (link.over !== 0) ys.push(link.over + 0.2);
  const top = Math.max(...ys) + (machine.pushes.length > 0 ? 0.35 : 0.1);
  return [Math.min(...xs) - 0.2, Math.max(...xs) + 0.2, Math.min(...ys), top];
}

/** Points given along and across a link, in the plane. */
function placed(p: Point, q: Point, points: (Point | null)[]): (Point | null)[] {
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1e-9;
  const [ax, ay] = [(q[0] - p[0]) / length, (q[1] - p[1]) / length];
  return points.map((point) => (point === null ? null : [p[0] + point[0] * ax - point[1] * ay, p[1] + point[0] * ay + point[1] * ax]));
}

/** A zigzag with straight ends; coils come nearer to each other where it is short. */
function spring(p: Point, q: Point): (Point | null)[] {
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const lead = Math.min(0.14, 0.15 * length);
  const points: Point[] = [[0, 0], [lead, 0]];
  for (let i = 0; i < 2 * COILS - 1; i++) points.push([lead + ((i + 1) / (2 * COILS)) * (length - 2 * lead), i % 2 === 0 ? 0.11 : -0.11]);
  points.push([length - lead, 0], [length, 0]);
  return placed(p, q, points);
}

/** A piston on a rod from one end in a cylinder on a rod from the other. */
function damper(p: Point, q: Point): (Point | null)[] {
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const bottom = length - 0.3;
  const depth = 0.5;
  const piston = Math.min(Math.max(length / 2, bottom - depth + 0.05), bottom - 0.05);
  return placed(p, q, [
    [0, 0], [piston, 0], null, [piston, -0.07], [piston, 0.07], null, [bottom - depth, 0.11], [bottom, 0.11], [bottom, -0.11],
    [bottom - depth, -0.11], null, [bottom, 0], [length, 0],
  ]);
}

/** An arrow over a disc, the way a torque turns it, as long as that is large. */
function turning(x: number, y: number, radius: number, value: number): (Point | null)[] {
  const at = (angle: number, out: number): Point => [x + out * Math.cos(angle), y + out * Math.sin(angle)];
  const reach = 0.9 * value;
  const arc = Array.from({ length: 17 }, (_, i) => at(Math.PI / 2 + reach * (i / 8 - 1), radius));
  const tip = Math.PI / 2 + reach;
  const back = tip - 0.13 * Math.sign(value);
  return [...arc, null, at(back, radius + 0.07), at(tip, radius), at(back, radius - 0.07)];
}

/** Lines along a shaft that lean the more, the more it is twisted. */
function shaft(p: Point, q: Point, twist: number): (Point | null)[] {
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const lean = Math.min(Math.max(0.06 * twist, -0.4), 0.4);
  const points: (Point | null)[] = [[0, 0.07], [length, 0.07], null, [0, -0.07], [length, -0.07]];
  for (let i = 0; i < 6; i++) {
    const at = 0.15 + (i / 5) * (length - 0.3);
    points.push(null, [at - lean / 2, -0.07], [at + lean / 2, 0.07]);
  }
  return placed(p, q, points);
}
