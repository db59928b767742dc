// A small menu at a place of the page: arrow keys, Enter, Esc.

import { make } from "./elements";

export interface MenuItem {
  label: string;
  act: () => void;
  /** What it is for, in small print. */
  note?: string;
}

let open: HTMLElement | null = null;
let cameFrom: Element | null = null;

export function openMenu(x: number, y: number, title: string, items: MenuItem[]): void {
  closeMenu();
  cameFrom = document.activeElement;
  const buttons = items.map((item) =>
    make(
      "button",
      {
        type: "button",
        role: "menuitem",
        click: () => {
          closeMenu();
          item.act();
        },
      },
      item.label,
      item.note === undefined ? null : make("small", { text: item.note }),
    ),
  );
  open = make("div", { class: "menu", role: "menu", "aria-label": title, id: "menu" }, make("p", { text: title }), ...buttons);
  document.body.append(open);
  const frame = open.getBoundingClientRect();
  open.style.left = `${Math.max(4, Math.min(x, window.innerWidth - frame.width - 8))}px`;
  open.style.top = `${Math.max(4, Math.min(y, window.innerHeight - frame.height - 8))}px`;
  open.addEventListener("keydown", (event) => step(event, buttons));
  buttons[0]?.focus();
  window.setTimeout(() => document.addEventListener("pointerdown", outside), 0);
}

export function closeMenu(): boolean {
  if (open === null) return false;
  const focused = open.contains(document.activeElement);
  open.remove();
  open = null;
  document.removeEventListener("pointerdown", outside);
  if (focused && cameFrom instanceof HTMLElement) cameFrom.focus();
  return true;
}

/** Boxes that fold out over a picture fold in again when something else is pressed. */
export function foldOutside(): void {
  document.addEventListener("pointerdown", (event) => {
    for (const box of unfolded()) if (event.target instanceof Node && !box.contains(event.target)) box.open = false;
  });
}

/** Fold in whatever is folded out; whether anything was. */
export function foldAll(): boolean {
  const open = unfolded();
  for (const box of open) {
    if (box.contains(document.activeElement)) box.querySelector("summary")?.focus();
    box.open = false;
  }
  return open.length > 0;
}

function unfolded(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>("details.more[open]")];
}

function outside(event: Event): void {
  if (open !== null && event.target instanceof Node && !open.contains(event.target)) closeMenu();
}

function step(event: KeyboardEvent, buttons: HTMLButtonElement[]): void {
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  if (event.key === "Escape") closeMenu();
  else if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
  else if (event.key === "ArrowUp") buttons[(at - 1 + buttons.length) % buttons.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
