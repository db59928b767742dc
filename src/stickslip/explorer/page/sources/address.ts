// The view lives in the fragment of the address: bookmarks, reload, the browser's own back and forward.

import { isTable, type PageView, type PartialView } from "./view";

export function encoded(view: PartialView): string {
  return "#" + encodeURIComponent(JSON.stringify(view));
}

const TABLES = ["model", "parameters", "start", "motion", "diagram", "map", "section", "basins", "page"];
const TABS = ["diagram", "map", "section", "basins"];

/** The view in an address, or null where there is none or it is damaged: a broken link opens the default view. */
export function decoded(fragment: string): PartialView | null {
  if (fragment.length < 2) return null;
  try {
    const found: unknown = JSON.parse(decodeURIComponent(fragment.slice(1)));
    return isTable(found) ? whole(found) : null;
  } catch {
    return null;
  }
}

/** Parts that are of another kind than they must be are left out; what is in them the server looks at. */
function whole(found: Record<string, unknown>): PartialView {
  const fits = ([name, value]: [string, unknown]): boolean =>
    TABLES.includes(name) ? isTable(value) : name === "branches" ? Array.isArray(value) && value.every(isTable) : name === "show" && TABS.includes(String(value));
  const view = Object.fromEntries(Object.entries(found).filter(fits)) as PartialView;
  const t = view.motion?.t;
  if (t !== undefined && !(typeof t === "number" && t > 0)) delete view.motion;
  return view.page === undefined ? view : { ...view, page: wholePage(view.page) };
}

function wholePage(found: object): PageView {
  const { phase, history, contact, heights, returns, ran } = found as Record<string, unknown>;
  const all = (value: unknown, kind: string): boolean => Array.isArray(value) && value.every((each) => typeof each === kind);
  const pair = (value: unknown, kind: string): boolean => all(value, kind) && (value as unknown[]).length === 2;
  return {
    ...(pair(phase, "string") ? { phase } : {}),
    ...(all(history, "string") ? { history } : {}),
    ...(typeof contact === "string" ? { contact } : {}),
    ...(pair(heights, "number") ? { heights } : {}),
    ...(returns === true ? { returns } : {}),
    ...(all(ran, "string") ? { ran } : {}),
  } as PageView;
}
