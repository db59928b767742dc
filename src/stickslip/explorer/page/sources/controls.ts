// Sliders and number fields for every parameter, grouped by part, and for the start of every state.

import { make } from "./elements";
import { niceStep, typed } from "./numbers";
import type { Description } from "./view";

interface Quantity {
  name: string;
  label: string;
  unit: string;
  value: number;
  low: number;
  high: number;
  about: string;
}

export interface ControlHandlers {
  drag(name: string, value: number): void;
  commit(name: string, value: number): void;
  reset(name: string): void;
}

/** Steps of a slider from end to end, at least. */
const STEPS = 200;

class Control {
  readonly row: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly error: HTMLElement;
  private readonly undo: HTMLButtonElement;
  private readonly step: number;

  constructor(
    private readonly quantity: Quantity,
    private readonly handlers: ControlHandlers,
  ) {
    const id = `control-${quantity.name}`;
    this.step = niceStep((quantity.high - quantity.low) / (2 * STEPS));
    const spoken = quantity.unit === "" ? quantity.name : `${quantity.name} in ${quantity.unit}`;
    this.slider = make("input", {
      type: "range", id, min: quantity.low, max: quantity.high, step: this.step, "aria-label": spoken, "data-name": quantity.name,
    });
    this.field = make("input", {
      type: "text", inputmode: "decimal", "aria-label": `${spoken}, as a number`, "aria-describedby": `${id}-error`, "data-name": quantity.name,
    });
    this.error = make("p", { class: "error", id: `${id}-error`, role: "alert" });
    this.undo = make("button", {
      type: "button", class: "undo", title: `Back to ${typed(quantity.value)}`, "aria-label": `${quantity.name} back to its default`, text: "↺",
      click: () => handlers.reset(quantity.name),
    });
    const label = make("label", { for: id, title: quantity.about || quantity.name, text: quantity.label });
    const unit = make("span", { class: "unit", title: quantity.unit, text: quantity.unit });
    this.row = make("div", { class: "control" }, label, this.slider, this.field, unit, this.undo, this.error);
    this.listen();
    this.show(quantity.value);
  }

  private listen(): void {
    this.slider.addEventListener("input", () => {
      const value = this.slider.valueAsNumber;
      this.field.value = typed(value);
      this.refuse("");
      this.handlers.drag(this.quantity.name, value);
    });
    this.slider.addEventListener("change", () => this.handlers.commit(this.quantity.name, this.slider.valueAsNumber));
    this.field.addEventListener("change", () => this.take());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      const step = (event.key === "ArrowUp" ? 1 : -1) * this.step * (event.shiftKey ? 10 : 1);
      this.field.value = typed(Number(this.field.value) + step);
      this.take();
      event.preventDefault();
    });
  }

  private take(): void {
    const value = Number(this.field.value.replace(",", "."));
    if (this.field.value.trim() === "" || !Number.isFinite(value)) {
      this.refuse(`${this.quantity.name} is ${JSON.stringify(this.field.value)}: give a number, such as ${typed(this.quantity.value)}.`);
      return;
    }
    this.refuse("");
    this.handlers.commit(this.quantity.name, value);
  }

  show(value: number): void {
    // A value beyond the range makes the range wider: nobody is kept from typing it.
    this.slider.min = String(Math.min(this.quantity.low, value));
    this.slider.max = String(Math.max(this.quantity.high, value));
    this.slider.value = String(value);
    const share = (value - Number(this.slider.min)) / (Number(this.slider.max) - Number(this.slider.min) || 1);
    this.slider.style.setProperty("--share", `${100 * share}%`);
    if (document.activeElement !== this.field) this.field.value = typed(value);
    else if (Number(this.field.value) !== value) this.field.value = typed(value);
    this.undo.hidden = value === this.quantity.value;
  }

  refuse(sentence: string): void {
    this.error.textContent = sentence;
    this.field.setAttribute("aria-invalid", String(sentence !== ""));
  }

  focus(): void {
    this.field.focus();
  }
}

export class Controls {
  private readonly controls = new Map<string, Control>();
  private defaults = new Map<string, number>();

  constructor(private readonly host: HTMLElement) {}

  build(description: Description, parameters: ControlHandlers, start: ControlHandlers): void {
    this.controls.clear();
    this.defaults = new Map();
    const groups: HTMLElement[] = [];
    const kinds = new Map(description.parts.map((part) => [part.name, part.kind]));
    for (const part of new Set(description.parameters.map((each) => each.part))) {
      const members = description.parameters.filter((each) => each.part === part);
      const rows = members.map((each) => this.add(each, parameters));
      groups.push(group(part || "Parameters", inWords(kinds.get(part) ?? ""), rows, groups.length < 8));
    }
    const states = description.states.map((each) => ({ ...each, label: each.label ?? each.name, about: "where the motion starts" }));
    groups.push(group("Start", "of the motion", states.map((each) => this.add(each, start)), false));
    this.host.replaceChildren(...groups);
  }

  private add(quantity: Quantity, handlers: ControlHandlers): HTMLElement {
    const control = new Control(quantity, handlers);
    this.controls.set(quantity.name, control);
    this.defaults.set(quantity.name, quantity.value);
    return control.row;
  }

  show(parameters: Record<string, number>, start: Record<string, number>): void {
    for (const [name, control] of this.controls) control.show(parameters[name] ?? start[name] ?? this.defaults.get(name)!);
  }

  /** The sentence beside the field that caused it; whether there is such a field. */
  refuse(name: string, sentence: string): boolean {
    const control = this.controls.get(name);
    control?.refuse(sentence);
    control?.row.closest("details")?.setAttribute("open", "");
    return control !== undefined;
  }

  forgive(): void {
    for (const control of this.controls.values()) control.refuse("");
  }

  focusFirst(): void {
    this.controls.values().next().value?.focus();
  }
}

function group(name: string, kind: string, rows: HTMLElement[], open: boolean): HTMLElement {
  const summary = make("summary", {}, make("span", { class: "part", text: name }), make("span", { class: "kind", text: kind }));
  return make("details", { class: "group", open }, summary, make("div", { class: "rows" }, ...rows));
}

/** "CompliantContact" as people write it. */
function inWords(kind: string): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
