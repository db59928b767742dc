// Colours, read from the style sheet so that canvas and page agree; dark or light as the system says, or as chosen.

export interface Theme {
  ink: string;
  quiet: string;
  faint: string;
  grid: string;
  panel: string;
  slip: string;
  backward: string;
  stick: string;
  shade: string;
  accent: string;
  body: string;
  band: string;
  up: string;
  down: string;
  series: string[];
  font: string;
  /** Of the text in pictures, in pixels: larger on a projector. */
  size: number;
  dark: boolean;
}

const KEY = "stickslip-theme";
let current: Theme | null = null;
const listeners: (() => void)[] = [];

export function theme(): Theme {
  current ??= read();
  return current;
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function startTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen !== null) document.documentElement.dataset["theme"] = chosen;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  matchMedia("(min-width: 1800px)").addEventListener("change", changed);
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  localStorage.setItem(KEY, next);
  changed();
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

function changed(): void {
  current = null;
  for (const listener of listeners) listener();
}

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"),
    quiet: colour("quiet"),
    faint: colour("faint"),
    grid: colour("grid"),
    panel: colour("panel"),
    slip: colour("slip"),
    backward: colour("backward"),
    stick: colour("stick"),
    shade: colour("shade"),
    accent: colour("accent"),
    body: colour("body"),
    band: colour("band"),
    up: colour("up"),
    down: colour("down"),
    series: [1, 2, 3, 4, 5, 6].map((number) => colour(`series-${number}`)),
    font: colour("font"),
    size: Math.round(0.86 * parseFloat(style.fontSize)),
    dark: isDark(),
  };
}

/** Red, green and blue of "#rrggbb". */
export function channels(colour: string): [number, number, number] {
  const value = parseInt(colour.replace("#", "").slice(0, 6), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
