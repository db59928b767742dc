// The one home of the view. A committed change makes an entry in the browser's history; a drag makes one entry, which is
// rewritten while it lasts, so that "back" undoes the whole drag and not its last pixel.

import { decoded, encoded } from "./address";
import { isTable, type PartialView } from "./view";

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
  /** How many changes lie before the present one: "undo" goes no farther back, to whatever page was there before. */
  private step = stepHere() ?? 0;

  constructor(first: PartialView) {
    // An address without a model is of the one that the explorer was opened with.
    const { model } = first;
    this.view = { ...(model === undefined ? {} : { model }), ...(decoded(location.hash) ?? first) };
    this.replace();
    window.addEventListener("popstate", () => this.fromAddress());
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** A change that is finished. */
  commit(change: PartialView): void {
    this.view = { ...this.view, ...change };
    if (this.dragging) this.replace();
    else this.push();
    this.dragging = false;
    this.tell("commit");
  }

  /** A change that goes on, until `commit` or `release`. */
  drag(change: PartialView): void {
    this.view = { ...this.view, ...change };
    if (!this.dragging) {
      this.dragging = true;
      this.push();
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

  get canUndo(): boolean {
    return this.step > 0;
  }

  undo(): void {
    if (this.canUndo) history.back();
  }

  redo(): void {
    history.forward();
  }

  private push(): void {
    this.step++;
    history.pushState({ step: this.step }, "", encoded(this.view));
  }

  private replace(): void {
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    history.replaceState({ step: this.step }, "", encoded(this.view));
  }

  private fromAddress(): void {
    const found = decoded(location.hash);
    if (found === null) return;
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    this.dragging = false;
    this.view = found;
    // An address that was typed over this one has no number yet: it is one more change.
    this.step = stepHere() ?? this.step + 1;
    this.replace();
    this.tell("history");
  }

  private tell(source: Source): void {
    for (const listener of this.listeners) listener(this.view, source);
  }
}

function stepHere(): number | null {
  const state: unknown = history.state;
  return isTable(state) && typeof state["step"] === "number" ? state["step"] : null;
}
