// A motion as the server sent it, and where it is at a time.

import type { Frame } from "./frames";

export interface MotionEvent {
  time: number;
  contact: string;
  before: number;
  after: number;
}

/** A stretch of samples in one mode. */
export interface Stretch {
  first: number;
  last: number;
  mode: number;
}

export const STICKS = 0;
/** How many samples of a motion are asked for: a picture on a wide screen shows no more. */
export const SAMPLES = 4000;

export class Motion {
  readonly time: Float64Array;
  readonly events: MotionEvent[];
  readonly status: string;
  /** Whether it went on for as long as was asked. */
  readonly isWhole: boolean;
  readonly period: number | null;
  private readonly stretched = new Map<string, Stretch[]>();

  constructor(private readonly frame: Frame) {
    this.time = frame.numbers("time");
    this.events = (frame.header["events"] as MotionEvent[] | undefined) ?? [];
    this.status = String(frame.header["status"] ?? "");
    this.isWhole = frame.header["outcome"] === "finished";
    this.period = (frame.header["period"] as number | null | undefined) ?? null;
  }

  get length(): number {
    return this.time.length;
  }
  get end(): number {
    return this.time[this.time.length - 1] ?? 0;
  }
  get start(): number {
    return this.time[0] ?? 0;
  }
  has(name: string): boolean {
    return this.frame.array(name) !== undefined;
  }
  values(name: string): ArrayLike<number> {
    return this.frame.array(name) ?? new Float64Array(this.time.length);
  }
  /** What does not rub does not stick either. */
  mode(contact: string): ArrayLike<number> {
    return this.frame.array(`mode.${contact}`) ?? new Int8Array(this.time.length).fill(1);
  }

  /** The law under the motion: sliding velocities and forces. */
  law(contact: string): [Float64Array, Float64Array] | null {
    const values = this.frame.array(`law.${contact}`);
    if (values === undefined) return null;
    const all = values instanceof Float64Array ? values : Float64Array.from(values);
    const half = all.length / 2;
    return [all.subarray(0, half), all.subarray(half)];
  }

  /** The index of the sample at or before a time. */
  indexAt(time: number): number {
    let low = 0;
    let high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A value between samples, on the straight line. */
  at(name: string, time: number): number {
    const values = this.frame.array(name);
    if (values === undefined || values.length === 0) return 0;
    const i = Math.min(this.indexAt(time), values.length - 1);
    const next = Math.min(i + 1, values.length - 1);
    const length = this.time[next]! - this.time[i]!;
    const share = length > 0 ? Math.min(Math.max((time - this.time[i]!) / length, 0), 1) : 0;
    return values[i]! + share * (values[next]! - values[i]!);
  }

  modeAt(contact: string, time: number): number {
    return this.frame.array(`mode.${contact}`)?.[this.indexAt(time)] ?? 1;
  }

  /** The stretches of one mode of a contact, each up to and with the first sample of the next one. */
  stretches(contact: string): Stretch[] {
    const known = this.stretched.get(contact);
    if (known !== undefined) return known;
    const modes = this.mode(contact);
    const found: Stretch[] = [];
    let first = 0;
    for (let i = 1; i <= modes.length; i++) {
      if (i === modes.length || modes[i] !== modes[first]) {
        found.push({ first, last: Math.min(i + 1, modes.length), mode: modes[first]! });
        first = i;
      }
    }
    this.stretched.set(contact, found);
    return found;
  }

  /** How long a cycle of stick and slip takes, about; without any, a tenth of the motion. */
  cycle(): number {
    const releases = this.events.filter((event) => event.before === STICKS && event.after !== STICKS);
    const late = releases.slice(-7);
    if (late.length > 2) {
      const contact = late[0]!.contact;
      const same = late.filter((event) => event.contact === contact);
      if (same.length > 2) return (same[same.length - 1]!.time - same[0]!.time) / (same.length - 1);
    }
    if (this.period !== null && this.period > 0) return this.period;
    return (this.end - this.start) / 10 || 1;
  }
}
