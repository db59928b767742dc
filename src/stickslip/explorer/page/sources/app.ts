// What the panels share: the view, the model's description, the way to the server.

import type { Connection } from "./connection";
import { announce, isSeen } from "./elements";
import type { Header } from "./frames";
import type { Description, PageView, PartialView, View } from "./view";

export interface App {
  readonly connection: Connection;
  readonly description: Description;
  /** The view with all its parts. */
  readonly view: View;
  readonly page: PageView;
  /** Whether the section panel shows a map that has a curve: then the script draws that. */
  readonly mapsReturns: boolean;
  commit(change: PartialView): void;
  drag(change: PartialView): void;
  commitPage(change: PageView): void;
  /** A sentence beside the field that caused it; false if no field of the controls did. */
  refused(field: string | undefined, sentence: string): boolean;
}

/** Show how a job goes in the line below its panel, and its error where it belongs. */
export function tellProgress(app: App, line: HTMLElement, header: Header, running: string, finished: string): void {
  line.classList.toggle("error", header.error !== undefined);
  if (header.error !== undefined) {
    // What stands beside its field is read out there: a second sentence over the page would only hide it.
    line.textContent = header.error;
    if (!app.refused(header.field, header.error) && !isSeen(line)) announce(header.error);
  } else if (header.stopped === true) {
    line.textContent = "Stopped. " + finished;
  } else if (header.done) {
    line.textContent = finished;
  } else {
    const part = header.progress === undefined ? "" : ` ${Math.round(100 * header.progress)} %`;
    line.textContent = running + part;
  }
}

/** Remember that something was computed, so that reload computes it again. */
export function remembered(app: App, job: string): PageView {
  const ran = app.page.ran ?? [];
  return ran.includes(job) ? app.page : { ...app.page, ran: [...ran, job] };
}
