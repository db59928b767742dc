// The one home of the view. A committed change makes an entry in the browser's history; a drag makes one entry, which is
// rewritten while it lasts, so that "back" undoes the whole drag and not its last pixel.

import { decoded, encoded } from "./address";
import type { PartialView } from "./view";

/** What may have to be computed again after a change. */
export type Source = "commit" | "drag" | "history";
type Listener = (view: PartialView, source: Source) => void;

/** Browsers refuse more than about 20 entries a second. */
const WRITE_EVERY = 300;

export class Store {
  view: PartialView;
  private readonly listeners: Listener[] = [];
  private dragging = false;
  private waiting: number | undefined;

  constructor(first: PartialView) {
    // An address without a model is of the one that the explorer was opened with.
    const { model } = first;
    this.view = { ...(model === undefined ? {} : { model }), ...(decoded(location.hash) ?? first) };
    history.replaceState(null, "", encoded(this.view));
    window.addEventListener("popstate", () => this.fromAddress());
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** A change that is finished. */
  commit(change: PartialView): void {
    this.view = { ...this.view, ...change };
    if (this.dragging) this.replace();
    else history.pushState(null, "", encoded(this.view));
    this.dragging = false;
    this.tell("commit");
  }

  /** A change that goes on, until `commit` or `release`. */
  drag(change: PartialView): void {
    this.view = { ...this.view, ...change };
    if (!this.dragging) {
      this.dragging = true;
      history.pushState(null, "", encoded(this.view));
    } else if (this.waiting === undefined) {
      this.waiting = window.setTimeout(() => this.replace(), WRITE_EVERY);
    }
    this.tell("drag");
  }

  /** A change that is no step of its own in the history, such as which tab is open. */
  amend(change: PartialView): void {
    this.view = { ...this.view, ...change };
    this.replace();
  }

  private replace(): void {
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    history.replaceState(null, "", encoded(this.view));
  }

  private fromAddress(): void {
    const found = decoded(location.hash);
    if (found === null) return;
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    this.dragging = false;
    this.view = found;
    this.tell("history");
  }

  private tell(source: Source): void {
    for (const listener of this.listeners) listener(this.view, source);
  }
}
