// Selects and number fields of the panels.

import { byId, make } from "./elements";

export function bindSelect(id: string, act: (value: string) => void): void {
  const select = byId<HTMLSelectElement>(id);
  select.addEventListener("change", () => act(select.value));
}

/** A field that says beside itself when what is typed is no number. */
export function bindNumber(id: string, act: (value: number) => void): void {
  const field = byId<HTMLInputElement>(id);
  field.addEventListener("change", () => {
    const value = Number(field.value.replace(",", "."));
    if (field.value.trim() !== "" && Number.isFinite(value)) act(value);
    else refuseField(id.replaceAll("-", "."), `"${field.value}" is not a number`);
  });
}

/** What was said beside the fields of a panel is over: all of it is computed anew. */
export function forgiveFields(panel: string): void {
  for (const field of byId(panel).querySelectorAll("[aria-invalid]")) {
    document.getElementById(`${field.id}-error`)?.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** A sentence beside the field of a panel that caused it, until that is changed; whether there is such a field. */
export function refuseField(name: string, sentence: string): boolean {
  const field = document.getElementById(name.replaceAll(".", "-"));
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) return false;
  const id = `${field.id}-error`;
  document.getElementById(id)?.remove();
  const beside = make("span", { class: "error", id, role: "alert", text: sentence });
  (field.closest("label") ?? field).after(beside);
  field.closest("details")?.setAttribute("open", "");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  const forgive = (): void => {
    beside.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  };
  // Before the field's own listener, which may have something to say again.
  field.addEventListener("change", forgive, { once: true, capture: true });
  return true;
}
