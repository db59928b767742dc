// The view lives in the fragment of the address: bookmarks, reload, the browser's own back and forward.

import type { PartialView } from "./view";

export function encoded(view: PartialView): string {
  return "#" + encodeURIComponent(JSON.stringify(view));
}

/** The view in an address, or null where there is none or it is damaged: a broken link opens the default view. */
export function decoded(fragment: string): PartialView | null {
  if (fragment.length < 2) return null;
  try {
    const found: unknown = JSON.parse(decodeURIComponent(fragment.slice(1)));
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as PartialView) : null;
  } catch {
    return null;
  }
}
