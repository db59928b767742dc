// Pictures as PNG and SVG, drawn here; data as CSV and NetCDF, from the server.

import type { App } from "./app";
import { announce, download } from "./elements";
import { openMenu, type MenuItem } from "./menu";

export interface Picture {
  svg(): string;
  png(): Promise<Blob>;
}

/** Data that go with a picture: what they are called in the menu, and the server's word for them. */
export type Data = [label: string, what: string][];

export function bindSave(button: HTMLElement, app: () => App, name: string, picture: Picture, data: () => Data): void {
  button.addEventListener("click", () => {
    const frame = button.getBoundingClientRect();
    const items: MenuItem[] = [
      { label: "Picture, PNG", act: () => void picture.png().then((blob) => download(blob, `${name}.png`)) },
      { label: "Picture, SVG", act: () => download(new Blob([picture.svg()], { type: "image/svg+xml" }), `${name}.svg`) },
    ];
    for (const [label, what] of data()) {
      items.push({ label: `${label}, CSV`, act: () => void fetched(app(), what, "csv") });
      items.push({ label: `${label}, NetCDF`, act: () => void fetched(app(), what, "nc") });
    }
    openMenu(frame.right - 190, frame.bottom + 4, "Save", items);
  });
}

async function fetched(app: App, what: string, format: string): Promise<void> {
  announce("Computing the data…");
  const body = JSON.stringify({ view: app.view, what, format });
  const reply = await fetch("/data", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (reply.ok) download(await reply.blob(), `${what}.${format}`);
  else announce(await sentence(reply));
}

async function sentence(reply: Response): Promise<string> {
  const text = await reply.text();
  try {
    return String((JSON.parse(text) as { error?: string }).error ?? text);
  } catch {
    return text;
  }
}
