// The page: everything put together.

import type { App } from "./app";
import { BasinsPanel } from "./basins";
import { Connection } from "./connection";
import { Controls, type ControlHandlers } from "./controls";
import { DiagramPanel, type Picked } from "./diagram";
import { announce, byId, fillSelect, isSeen, make } from "./elements";
import { bindNumber, bindSelect, refuseField } from "./fields";
import type { Frame } from "./frames";
import { TimeHistory } from "./history";
import { FrictionLaw } from "./law";
import { MachineDrawing } from "./machine";
import { MapPanel } from "./map";
import { showEquations } from "./mathematics";
import { closeMenu, foldAll, foldOutside } from "./menu";
import { Models } from "./models";
import { Motion, SAMPLES } from "./motion";
import { clock, inField, shown } from "./numbers";
import { OrbitPanel } from "./orbit";
import { PhasePlane } from "./phase";
import { Playback } from "./playback";
import { PythonPanel } from "./python";
import { bindSave, type Data } from "./save";
import { SectionPanel } from "./section";
import { bindShortcuts } from "./shortcuts";
import { Sound } from "./sound";
import { Store, type Source } from "./store";
import { onTheme, startTheme, toggleTheme } from "./theme";
import { completed, type Description, type ModelChoice, type Opening, type PageView, type PartialView, type Shown, type View } from "./view";

const TABS: Shown[] = ["diagram", "map", "section", "basins"];
const MOST_CURVES = 4;
const ORBIT: Data = [["Orbit", "orbit"]];
const BRANCHES: Data = [["Branches", "branch"]];

class Explorer implements App {
  readonly connection: Connection;
  readonly store: Store;
  description!: Description;
  view!: View;
  motion: Motion | null = null;
  readonly playback: Playback;
  readonly machine = new MachineDrawing(byId("machine-plot"));
  readonly phase: PhasePlane;
  readonly history: TimeHistory;
  readonly law: FrictionLaw;
  readonly diagram: DiagramPanel;
  readonly map: MapPanel;
  readonly section: SectionPanel;
  readonly basins: BasinsPanel;
  readonly orbit: OrbitPanel;
  private readonly controls = new Controls(byId("controls"));
  private readonly models: Models;
  private readonly python: PythonPanel;
  private readonly sound: Sound;
  private described = "";
  private asked = "";

  constructor(private readonly opening: Opening) {
    this.store = new Store(opening.view);
    this.python = new PythonPanel(() => this);
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`;
    this.connection = new Connection(address, (open) => this.connected(open), (line, job) => this.python.add(line, job));
    this.phase = new PhasePlane(byId("phase-plot"), (x, y) => this.startAt({ [this.phase.x]: x, [this.phase.y]: y }));
    this.history = new TimeHistory(byId("history-plot"), (time) => this.playback.jump(time));
    this.law = new FrictionLaw(byId("law-plot"));
    this.playback = new Playback((time) => this.mark(time));
    this.sound = new Sound(() => this);
    this.diagram = new DiagramPanel(this, (picked) => this.pick(picked));
    this.map = new MapPanel(this, () => this.diagram.branches, (values) => this.setParameters(values));
    this.diagram.onGrown = () => {
      this.diagram.fit();
      this.map.plot.redraw();
    };
    this.section = new SectionPanel(this);
    this.basins = new BasinsPanel(this, (start) => this.startAt(start));
    this.orbit = new OrbitPanel(this, this.phase, () => this.motion !== null && this.phase.show(this.motion));
    this.models = new Models(opening, (model) => this.chooseModel(model), (model) => this.tryModel(model));
    this.store.listen((_, source) => this.changed(source));
    this.bind();
    this.describe();
  }

  get page(): PageView {
    return this.store.view.page ?? {};
  }

  get mapsReturns(): boolean {
    return this.section.mapsReturns;
  }

  // -- changes of the view

  commit(change: PartialView): void {
    this.store.commit(change);
  }
  drag(change: PartialView): void {
    this.store.drag(change);
  }
  commitPage(page: PageView): void {
    if (page !== this.page) this.store.amend({ page });
  }

  refused(field: string | undefined, sentence: string): boolean {
    return field !== undefined && (this.controls.refuse(field, sentence) || refuseField(field, sentence));
  }

  private setParameters(values: Record<string, number>): void {
    const digits = (value: number): number => Number(value.toPrecision(12));
    const rounded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digits(value)]));
    this.commit({ parameters: { ...this.view.parameters, ...rounded } });
  }

  /** The motion at a point of the diagram: its parameter, and the very states there. */
  private pick({ value, states, phase }: Picked): void {
    const { diagram, parameters, start, motion } = this.view;
    const change: PartialView = { parameters: { ...parameters, [diagram.parameter]: Number(value.toPrecision(12)) } };
    if (states !== null) {
      change.start = Object.fromEntries(this.description.states.map((each, i) => [each.name, states[i] ?? each.value]));
      change.motion = { t: motion.t, start_time: phase };
      change.diagram = { ...diagram, start: diagram.start ?? start };
    }
    this.commit(change);
    this.playback.jump(this.motion?.start ?? 0);
  }

  private startAt(values: Record<string, number>): void {
    const known = new Set(this.description.states.map((each) => each.name));
    const start = Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)).map(([name, value]) => [name, Number(value.toPrecision(6))]));
    this.commit({ start: { ...this.view.start, ...start }, motion: { t: this.view.motion.t } });
    this.playback.jump(this.motion?.start ?? 0);
  }

  private chooseModel(model: ModelChoice): void {
    // Of the view before only what is shown has a meaning for another model.
    this.store.view = { show: this.view?.show ?? "diagram" };
    this.commit({ model });
  }

  private changed(source: Source): void {
    const model = JSON.stringify(this.store.view.model);
    if (model !== this.described || this.description === undefined) {
      this.describe();
      return;
    }
    this.view = completed(this.description.view, this.store.view);
    if (source === "drag") this.showDragged();
    else this.showView();
    this.askMotion();
    if (source !== "drag" && this.motion !== null) this.showMotion(this.motion);
    if (source !== "drag") this.python.refresh();
    if (source === "history") this.recompute();
  }

  // -- the model

  private describe(): void {
    const model = JSON.stringify(this.store.view.model);
    // All else of the view is put over what the model suggests, as far as it fits.
    const { parameters, start, motion } = this.store.view;
    const view = { model: this.store.view.model, parameters, start, motion };
    this.connection.request("describe", "describe", { view }, (frame) => this.receiveDescription(frame, model), true);
  }

  private tryModel(model: ModelChoice): void {
    this.connection.request("describe", "describe", { view: { model } }, (frame) => {
      if (frame.header.error !== undefined) {
        this.models.refused(frame.header.error);
        return;
      }
      this.models.accepted();
      this.chooseModel(model);
    });
  }

  private receiveDescription(frame: Frame, model: string): void {
    const { header } = frame;
    if (header.error !== undefined) {
      this.refuseModel(header.error, model);
      return;
    }
    const same = this.described === model && this.description !== undefined;
    this.asked = "";
    this.described = model;
    this.description = header as unknown as Description;
    this.view = completed(this.description.view, this.store.view);
    if (!same) this.openModel();
    this.showView();
    this.askMotion();
    this.python.refresh();
    if (!same) this.recompute(true);
  }

  /** The model of an address cannot be: where nothing else is there yet, what the explorer was started with is. */
  private refuseModel(sentence: string, model: string): void {
    byId("motion-status").textContent = sentence;
    byId("motion-status").classList.add("error");
    const refused = this.store.view.model as ModelChoice | undefined;
    const first = this.opening.view.model as ModelChoice | undefined;
    if (this.description === undefined && first !== undefined && JSON.stringify(first) !== model) this.chooseModel(first);
    if (refused !== undefined && "text" in refused) this.models.refused(sentence, refused.text);
    else announce(sentence);
  }

  private openModel(): void {
    const { description } = this;
    document.title = `${description.title} · stickslip`;
    byId("title").textContent = description.title;
    byId("about").textContent = description.about;
    showEquations(byId("equations"), description.equations ?? "");
    this.controls.build(description, this.handlers("parameters"), this.handlers("start"));
    this.machine.setLayout(description.machine);
    byId("machine").hidden = description.machine === null;
    this.orbit.clear();
    this.history.choose(null);
    for (const panel of [this.diagram, this.map, this.section, this.basins]) panel.reset();
    const names = description.states.map((each): [string, string] => [each.name, each.name]);
    fillSelect(byId("phase-x"), names, names[0]?.[0] ?? "");
    fillSelect(byId("phase-y"), names, names[1]?.[0] ?? "");
    fillSelect(byId("contact"), description.contacts.map((each) => [each, each]), description.contacts[0] ?? "");
    byId("law").hidden = byId("legend").hidden = description.contacts.length === 0;
    byId("contact-choice").hidden = description.contacts.length < 2;
    this.buildCurves();
  }

  private handlers(part: "parameters" | "start"): ControlHandlers {
    return {
      drag: (name, value) => this.drag({ [part]: { ...this.view[part], [name]: value } }),
      commit: (name, value) => this.commit({ [part]: { ...this.view[part], [name]: value } }),
      reset: (name) => {
        const { [name]: _, ...others } = this.view[part];
        this.commit({ [part]: others });
      },
    };
  }

  /** Which quantities the time history shows: boxes to tick. */
  private buildCurves(): void {
    const names = [...this.description.states.map((each) => each.name)];
    const boxes = names.slice(0, 12).map((name) => {
      const box = make("input", { type: "checkbox", value: name });
      box.addEventListener("change", () => this.chooseCurves());
      return make("label", {}, box, make("span", { text: name }));
    });
    byId("history-curves").replaceChildren(...boxes);
  }

  private chooseCurves(): void {
    const boxes = [...byId("history-curves").querySelectorAll<HTMLInputElement>("input:checked")];
    this.commit({ page: { ...this.page, history: boxes.map((box) => box.value).slice(0, MOST_CURVES) } });
  }

  // -- showing the view

  private showView(): void {
    const { view, description, page } = this;
    this.models.show(view.model);
    byId("undo").toggleAttribute("disabled", !this.store.canUndo);
    this.controls.show(view.parameters, view.start);
    byId<HTMLInputElement>("motion-t").value = inField(view.motion.t);
    this.showAxes();
    for (const tab of TABS) {
      byId(`tab-${tab}`).setAttribute("aria-selected", String(tab === view.show));
      byId(`tab-${tab}`).tabIndex = tab === view.show ? 0 : -1;
      byId(`panel-${tab}`).hidden = tab !== view.show;
    }
    const contact = description.contacts.find((each) => each === page.contact) ?? description.contacts[0] ?? "";
    byId<HTMLSelectElement>("contact").value = contact;
    this.phase.contact = this.history.contact = this.law.contact = contact;
    for (const panel of [this.diagram, this.map, this.section, this.basins]) panel.update();
    this.orbit.mark();
  }

  /** While a slider is dragged only values change: pictures that do not depend on them are not drawn again. */
  private showDragged(): void {
    this.controls.show(this.view.parameters, this.view.start);
    for (const tab of TABS) {
      this[tab].markStale();
      this[tab].plot.redrawAbove();
    }
    this.orbit.mark();
  }

  private showAxes(): void {
    const { description, page } = this;
    const units = new Map(description.states.map((each) => [each.name, each.unit]));
    const label = (name: string): string => (units.get(name) ? `${name} (${units.get(name)})` : name);
    const states = description.states.map((each) => each.name);
    const isKnown = (name: string): boolean => states.includes(name);
    const { section } = description.view;
    const [x, y] = page.phase?.every(isKnown) ? page.phase : [section.x, section.y];
    [this.phase.x, this.phase.y] = [x, y];
    byId<HTMLSelectElement>("phase-x").value = x;
    byId<HTMLSelectElement>("phase-y").value = y;
    this.phase.plot.xLabel = label(x);
    this.phase.plot.yLabel = label(y);
    const curves = page.history?.filter(isKnown) ?? [x];
    this.history.quantities = curves;
    const withUnit = (name: string, unit: string | undefined): string => (unit ? `${name} (${unit})` : name);
    this.history.plot.xLabel = withUnit("time", description.time_unit);
    this.history.plot.yLabel = curves.map(label).join(", ");
    const { slip_velocity, force } = description.contact_words ?? { slip_velocity: "sliding velocity", force: "friction force" };
    this.law.plot.xLabel = withUnit(slip_velocity, description.units?.slip_velocity);
    this.law.plot.yLabel = withUnit(force, description.units?.force);
    byId("history-curves").querySelectorAll("input").forEach((box) => {
      const at = curves.indexOf(box.value);
      box.checked = at >= 0;
      box.parentElement!.dataset["series"] = String(at + 1);
    });
  }

  // -- the motion

  private askMotion(): void {
    const { model, parameters, start, motion } = this.view;
    const wanted = JSON.stringify([model, parameters, start, motion]);
    if (wanted === this.asked) return;
    this.asked = wanted;
    this.connection.live("motion", "motion", { view: this.view, samples: SAMPLES }, (frame) => this.receiveMotion(frame));
  }

  private receiveMotion(frame: Frame): void {
    const { header } = frame;
    const status = byId("motion-status");
    status.classList.toggle("error", header.error !== undefined);
    if (header.error !== undefined) {
      status.textContent = header.error;
      if (!this.refused(header.field, header.error) && !isSeen(status)) announce(header.error);
      return;
    }
    this.controls.forgive();
    this.motion = new Motion(frame);
    const seconds = Number(header["seconds"] ?? NaN);
    status.classList.toggle("error", !this.motion.isWhole);
    status.textContent = this.motion.isWhole ? `computed in ${seconds < 1 ? `${shown(1000 * seconds, 2)} ms` : `${shown(seconds, 2)} s`}` : this.motion.status;
    status.title = this.motion.status;
    this.showMotion(this.motion);
    this.playback.show(this.motion);
    this.tellRate();
    this.sound.refresh();
  }

  /** How much of the motion's time passes on the screen. */
  private tellRate(): void {
    byId("speed-note").textContent = `${shown(this.playback.rate, 2)} ${this.description.time_unit || "units of time"} per second`;
  }

  private showMotion(motion: Motion): void {
    for (const picture of [this.machine, this.phase, this.history, this.law]) picture.show(motion);
  }

  private mark(time: number): void {
    this.machine.mark(time);
    this.phase.mark(time);
    this.history.mark(time);
    this.law.mark(time);
    byId("clock").textContent = `t = ${clock(time, this.motion?.end ?? 1)} ${this.description.time_unit ?? ""}`;
  }

  // -- computing what the address asks for

  /** What was computed when the address was made; of a model just opened the diagram in any case. */
  private recompute(fresh = false): void {
    const ran = this.page.ran ?? [];
    if (fresh || ran.includes("diagram")) this.diagram.refresh();
    if (fresh && ran.includes("orbit")) this.orbit.find();
    if (fresh && ran.includes("equilibria")) this.orbit.findEquilibria();
    for (const tab of ["map", "section", "basins"] as const) {
      if (ran.includes(tab) && this.view.show === tab) this[tab].refresh();
    }
  }

  private connected(open: boolean): void {
    const state = byId("connection");
    state.dataset["open"] = String(open);
    state.textContent = open ? "" : "Connection lost: trying again…";
    if (!open) announce("The connection to stickslip is lost. Trying again.");
    else if (this.description !== undefined) {
      announce("Connected again.");
      this.describe();
    }
  }

  // -- buttons and keys

  private bind(): void {
    byId("theme").addEventListener("click", toggleTheme);
    byId("undo").addEventListener("click", () => this.store.undo());
    byId("redo").addEventListener("click", () => this.store.redo());
    byId("play").addEventListener("click", () => this.play());
    byId<HTMLInputElement>("speed").addEventListener("input", (event) => {
      this.playback.speed = 2 ** (event.target as HTMLInputElement).valueAsNumber;
      this.tellRate();
    });
    bindNumber("motion-t", (t) => this.commit({ motion: { ...this.view.motion, t } }));
    bindSelect("contact", (contact) => this.commit({ page: { ...this.page, contact } }));
    for (const id of ["phase-x", "phase-y"]) {
      bindSelect(id, () => {
        const phase: [string, string] = [byId<HTMLSelectElement>("phase-x").value, byId<HTMLSelectElement>("phase-y").value];
        this.commit({ page: { ...this.page, phase } });
      });
    }
    byId("history-all").addEventListener("click", () => this.history.choose(null));
    byId("orbit-follow").addEventListener("click", () => this.diagram.branches.follow("orbit"));
    byId("equilibria-follow").addEventListener("click", () => this.diagram.branches.follow("equilibrium"));
    byId("branches-clear").addEventListener("click", () => this.diagram.branches.clear());
    this.bindTabs();
    this.bindSaves();
    this.bindKeys();
    onTheme(() => this.map.raster.rows > 0 && this.map.plot.redraw());
  }

  private bindTabs(): void {
    for (const [i, tab] of TABS.entries()) {
      const button = byId(`tab-${tab}`);
      button.addEventListener("click", () => this.showTab(tab));
      button.addEventListener("keydown", (event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step === 0) return;
        const next = TABS[(i + step + TABS.length) % TABS.length]!;
        this.showTab(next);
        byId(`tab-${next}`).focus();
        event.preventDefault();
      });
    }
  }

  private showTab(tab: Shown): void {
    if (this.view === undefined || this.view.show === tab) return;
    this.commit({ show: tab });
    if (tab === "section" && !this.section.hasPoints) this.section.run();
  }

  private bindSaves(): void {
    const me = (): App => this;
    const motion = (): Data => [["Data", "motion"]];
    bindSave(byId("save-machine"), me, "machine", this.machine, () => []);
    bindSave(byId("save-phase"), me, "motion", this.phase.plot, () => [...motion(), ...(this.phase.orbit === null ? [] : ORBIT)]);
    bindSave(byId("save-history"), me, "motion", this.history.plot, motion);
    bindSave(byId("save-law"), me, "motion", this.law.plot, motion);
    for (const tab of TABS) {
      const more = (): Data => (tab === "diagram" && this.view.branches.length > 0 ? BRANCHES : []);
      bindSave(byId(`save-${tab}`), me, tab, this[tab].plot, () => [["Data", tab], ...more()]);
    }
  }

  private play(): void {
    const playing = this.playback.toggle();
    byId("play").textContent = playing ? "Pause" : "Play";
  }

  private bindKeys(): void {
    const help = byId<HTMLDialogElement>("help");
    byId("help-open").addEventListener("click", () => help.showModal());
    byId("help-close").addEventListener("click", () => help.close());
    foldOutside();
    const opened = (): boolean => this.view !== undefined;
    bindShortcuts(opened, {
      " ": () => this.play(),
      d: () => this.showTab("diagram"),
      m: () => this.showTab("map"),
      s: () => this.showTab("section"),
      b: () => this.showTab("basins"),
      r: () => byId(`${this.view.show}-run`).click(),
      o: () => this.orbit.find(),
      f: () => this.diagram.branches.follow("orbit"),
      e: () => this.orbit.findEquilibria(),
      c: () => this.section.step(),
      p: () => this.python.toggle(),
      t: () => toggleTheme(),
      n: () => this.sound.toggle(),
      z: () => this.store.undo(),
      y: () => this.store.redo(),
      "1": () => this.controls.focusFirst(),
      Backspace: () => this.view.show !== "section" && this[this.view.show].back(),
      "?": () => help.showModal(),
      Escape: () => this.escape(help),
    });
    byId("play").textContent = this.playback.playing ? "Pause" : "Play";
  }

  /** The nearest thing that can be left or stopped. */
  private escape(help: HTMLDialogElement): void {
    if (closeMenu() || foldAll()) return;
    if (help.open) help.close();
    else if (byId<HTMLDialogElement>("editor").open) byId<HTMLDialogElement>("editor").close();
    else if (!this.orbit.stop() && !this[this.view.show].interrupt() && this.python.isOpen) this.python.toggle(false);
  }
}

async function start(): Promise<void> {
  startTheme();
  const reply = await fetch("/opening");
  if (!reply.ok) throw new Error(await reply.text());
  const explorer = new Explorer((await reply.json()) as Opening);
  // For the console, for tests and for measurements.
  Object.assign(window, { explorer });
}

start().catch((error: unknown) => announce(`The explorer could not be opened: ${String(error)}`));
