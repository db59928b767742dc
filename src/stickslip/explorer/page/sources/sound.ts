// The motion as sound, on request.

import { tellProgress, type App } from "./app";
import { byId } from "./elements";
import type { Frame } from "./frames";

const SECONDS = 4;
const LOUDNESS = 0.25;
const FADE = 0.04;

export class Sound {
  private context: AudioContext | null = null;
  private source: AudioBufferSourceNode | null = null;
  private wanted = false;

  constructor(private readonly app: () => App) {
    byId("sound").addEventListener("click", () => this.toggle());
  }

  toggle(): void {
    this.wanted = !this.wanted;
    byId("sound").setAttribute("aria-pressed", String(this.wanted));
    if (!this.wanted) {
      this.stop();
      return;
    }
    // Browsers want the context to be made by the click itself.
    this.context ??= new AudioContext();
    void this.context.resume();
    this.ask();
  }

  /** The motion has changed: what is heard follows it. */
  refresh(): void {
    if (this.wanted) this.ask();
  }

  private ask(): void {
    const app = this.app();
    const quantity = app.view.diagram.quantity;
    app.connection.live("sound", "sound", { view: app.view, seconds: SECONDS, quantity }, (frame) => this.play(frame));
  }

  private stop(): void {
    this.source?.stop();
    this.source = null;
  }

  private play(frame: Frame): void {
    const samples = frame.array("sound");
    if (frame.header.error !== undefined) this.refused(frame);
    // It may be wanted no more by the time it is there.
    if (samples === undefined || this.context === null || !this.wanted) return;
    const rate = Number(frame.header["rate"] ?? 44_100);
    const buffer = this.context.createBuffer(1, samples.length, rate);
    buffer.getChannelData(0).set(samples);
    const source = this.context.createBufferSource();
    const loudness = this.context.createGain();
    loudness.gain.setValueAtTime(0, this.context.currentTime);
    loudness.gain.linearRampToValueAtTime(LOUDNESS, this.context.currentTime + FADE);
    source.buffer = buffer;
    source.loop = true;
    source.connect(loudness).connect(this.context.destination);
    this.source?.stop();
    source.start();
    this.source = source;
  }

  private refused(frame: Frame): void {
    tellProgress(this.app(), byId("motion-status"), frame.header, "", "");
    this.wanted = false;
    byId("sound").setAttribute("aria-pressed", "false");
    this.stop();
  }
}
