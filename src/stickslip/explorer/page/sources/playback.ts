// The clock of the animation: it runs through the motion again and again, a cycle of stick and slip in two seconds.

import type { Motion } from "./motion";

const SECONDS_PER_CYCLE = 2;

export class Playback {
  playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  speed = 1;
  time = 0;
  /** Frames painted, and when the first of them was: what the bench measures. */
  frames = 0;
  private motion: Motion | null = null;
  private before = 0;
  private pace = 1;

  constructor(private readonly onTime: (time: number) => void) {
    requestAnimationFrame((now) => this.tick(now));
  }

  show(motion: Motion): void {
    const first = this.motion === null;
    this.motion = motion;
    this.pace = motion.cycle() / SECONDS_PER_CYCLE;
    if (first || this.time > motion.end || this.time < motion.start) this.time = motion.start;
    if (!this.playing) this.onTime(this.time);
  }

  jump(time: number): void {
    this.time = time;
    this.onTime(time);
  }

  toggle(): boolean {
    this.playing = !this.playing;
    return this.playing;
  }

  /** Units of time that pass in a second on the screen. */
  get rate(): number {
    return this.pace * this.speed;
  }

  private tick(now: number): void {
    const passed = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    if (this.motion !== null && this.playing && this.motion.length > 1 && !document.hidden) {
      this.time += passed * this.rate;
      if (this.time > this.motion.end) this.time = this.motion.start;
      this.frames++;
      this.onTime(this.time);
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}
