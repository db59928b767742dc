// Whether what a panel shows is still of the view: parameters and starts may have changed since it was computed.

const SAID = "The view has changed since this was computed: run it again.";

export class Freshness {
  private computed: string | null = null;
  private before: string | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly status: HTMLElement,
    /** All that the picture depends on. */
    private readonly key: () => string,
  ) {}

  /** It is computed now. */
  begin(): void {
    this.computed = this.key();
    this.before = null;
    this.host.classList.remove("stale");
  }

  /** Nothing is shown. */
  forget(): void {
    this.computed = this.before = null;
    this.host.classList.remove("stale");
  }

  get isOfView(): boolean {
    return this.computed === this.key();
  }

  /** Say so if what is drawn is of another view; what the line below said before comes back with the view. */
  mark(running = false): void {
    const stale = this.computed !== null && !this.isOfView;
    this.host.classList.toggle("stale", stale);
    if (stale && !running && this.status.textContent !== SAID) {
      this.before = this.status.textContent;
      this.status.textContent = SAID;
    } else if (!stale && this.before !== null) {
      if (this.status.textContent === SAID) this.status.textContent = this.before;
      this.before = null;
    }
  }
}

/** All values of parameters or states, changed or not, but for some. */
export function valuesOf(listed: readonly { name: string; value: number }[], changed: Record<string, number>, ...but: string[]): number[] {
  return listed.filter(({ name }) => !but.includes(name)).map(({ name, value }) => changed[name] ?? value);
}
