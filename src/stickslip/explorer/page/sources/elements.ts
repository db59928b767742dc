// Small helpers for the page's elements.

type Child = Node | string | null | undefined;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** An element: properties that are functions listen, "text" is its text, all others are attributes. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "text") element.textContent = String(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as Kind;
}

/** Fill a select with names; the chosen one stays chosen. */
export function fillSelect(select: HTMLSelectElement, options: readonly (readonly [string, string])[], chosen: string): void {
  select.replaceChildren(...options.map(([value, text]) => make("option", { value, text })));
  select.value = chosen;
}

/** Whether an element is in the window. */
export function isSeen(element: HTMLElement): boolean {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && top >= 0 && bottom <= window.innerHeight;
}

/** A file for the user. */
export function download(content: Blob, name: string): void {
  const link = make("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const SHOWN_FOR = 6000;
let hiding: number | undefined;

/** Say something in a line over the page, for a while; it is read out as well. */
export function announce(sentence: string): void {
  const place = byId("announcer");
  place.textContent = sentence;
  place.classList.add("shown");
  window.clearTimeout(hiding);
  hiding = window.setTimeout(() => place.classList.remove("shown"), SHOWN_FOR);
}
