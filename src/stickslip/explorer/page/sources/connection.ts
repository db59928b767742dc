// The websocket: requests by channel, of which the newest wins; when it is lost the page says so and tries again.

import { Frame, readFrame } from "./frames";

type OnFrame = (frame: Frame) => void;

interface Waiting {
  job: string;
  fields: object;
  onFrame: OnFrame;
  /** Whether it is asked again by itself where the connection was lost meanwhile. */
  again: boolean;
}

interface Channel {
  id: number;
  busy: boolean;
  sent: number;
  onFrame: OnFrame;
  asked: Waiting | null;
  next: Waiting | null;
  timer?: number;
}

/** After so many milliseconds without an answer a live request is overtaken by the next one. */
const PATIENCE = 600;
const FIRST_RETRY = 300;
const LAST_RETRY = 4000;
const PING_EVERY = 15_000;
const PING_PATIENCE = 45_000;
const LOST = "The connection to stickslip was lost meanwhile: run it again.";

export class Connection {
  private socket: WebSocket | null = null;
  private readonly channels = new Map<string, Channel>();
  private lastId = 0;
  private retry = FIRST_RETRY;
  private heard = performance.now();

  constructor(
    private readonly address: string,
    private readonly onState: (open: boolean) => void,
    private readonly onPython: (line: string, job: string) => void,
  ) {
    this.open();
    window.setInterval(() => this.ping(), PING_EVERY);
    window.addEventListener("online", () => this.open());
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Ask now; what the channel was doing is given up on both sides. */
  request(channel: string, job: string, fields: object, onFrame: OnFrame, again = false): void {
    const entry = this.channel(channel);
    entry.next = { job, fields, onFrame, again };
    this.send(channel, entry);
  }

  /** Ask as soon as the answer before is there: of requests that come faster only the newest is sent. */
  live(channel: string, job: string, fields: object, onFrame: OnFrame): void {
    const entry = this.channel(channel);
    entry.next = { job, fields, onFrame, again: true };
    const late = PATIENCE - (performance.now() - entry.sent);
    if (!entry.busy || late <= 0) this.send(channel, entry);
    else entry.timer ??= window.setTimeout(() => this.send(channel, entry), late);
  }

  cancel(channel: string): void {
    const entry = this.channels.get(channel);
    if (entry === undefined) return;
    const waiting = entry.next;
    entry.next = null;
    if (waiting !== null && !entry.busy) {
      // It was never sent, so that nobody else says that it is over.
      waiting.onFrame(new Frame({ id: entry.id, channel, job: waiting.job, done: true, stopped: true }, new Map(), new Map()));
    }
    if (this.isOpen) this.socket?.send(JSON.stringify({ cancel: channel }));
  }

  isBusy(channel: string): boolean {
    return this.channels.get(channel)?.busy ?? false;
  }

  private channel(name: string): Channel {
    let entry = this.channels.get(name);
    if (entry === undefined) {
      entry = { id: 0, busy: false, sent: 0, onFrame: () => undefined, asked: null, next: null };
      this.channels.set(name, entry);
    }
    return entry;
  }

  private send(name: string, entry: Channel): void {
    window.clearTimeout(entry.timer);
    delete entry.timer;
    if (entry.next === null || this.socket === null || !this.isOpen) return;
    const { job, fields, onFrame } = entry.next;
    entry.asked = entry.next;
    entry.next = null;
    entry.id = ++this.lastId;
    entry.busy = true;
    entry.sent = performance.now();
    entry.onFrame = onFrame;
    this.socket.send(JSON.stringify({ id: entry.id, channel: name, job, ...fields }));
  }

  private open(): void {
    if (this.socket !== null && this.socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.retry = FIRST_RETRY;
      this.heard = performance.now();
      this.onState(true);
      for (const [name, entry] of this.channels) this.send(name, entry);
    };
    socket.onmessage = (event) => this.receive(event.data as ArrayBuffer | string);
    socket.onclose = () => this.lost(socket);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    for (const [name, entry] of this.channels) this.giveUp(name, entry);
    this.onState(false);
    window.setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(2 * this.retry, LAST_RETRY);
  }

  /** What was under way ends here: it is asked again, or told that it has failed. */
  private giveUp(channel: string, entry: Channel): void {
    if (!entry.busy || entry.asked === null) return;
    entry.busy = false;
    if (entry.asked.again) entry.next ??= entry.asked;
    else entry.onFrame(new Frame({ id: entry.id, channel, job: entry.asked.job, done: true, error: LOST }, new Map(), new Map()));
  }

  private receive(data: ArrayBuffer | string): void {
    this.heard = performance.now();
    const frame = typeof data === "string" ? new Frame(JSON.parse(data), new Map(), new Map()) : readFrame(data);
    const header = frame.header;
    const entry = this.channels.get(header.channel);
    if (entry === undefined || header.id !== entry.id) return;
    if (header.python) this.onPython(header.python, header.job);
    const over = header.done || header.error !== undefined;
    if (over) entry.busy = false;
    entry.onFrame(frame);
    if (over && entry.next !== null) this.send(header.channel, entry);
  }

  /** A server that is gone without a word is noticed by its silence. */
  private ping(): void {
    if (!this.isOpen) return;
    if (performance.now() - this.heard > PING_PATIENCE) this.socket?.close();
    else this.request("ping", "ping", {}, () => undefined);
  }
}
