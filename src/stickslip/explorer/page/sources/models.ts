// Which model: from the library, from a file, or typed. A model that is refused stays in the editor, with the sentence.

import { byId, make } from "./elements";
import type { ModelChoice, Opening } from "./view";

/** The server takes no larger message. */
const LARGEST = 200_000;
const OWN = "\u0000own";

/** "two_blocks" as people write it. */
function readable(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export class Models {
  private readonly select = byId<HTMLSelectElement>("model");
  private readonly dialog = byId<HTMLDialogElement>("editor");
  private readonly text = byId<HTMLTextAreaElement>("editor-text");
  private readonly error = byId("editor-error");

  constructor(
    opening: Opening,
    private readonly onChoose: (model: ModelChoice) => void,
    private readonly onTry: (model: ModelChoice) => void,
  ) {
    const options = opening.models.map(({ name, title }) => make("option", { value: name, text: readable(name), title }));
    this.select.replaceChildren(...options, make("option", { value: OWN, text: "A model of your own…" }));
    this.select.addEventListener("change", () => this.choose());
    byId("model-open").addEventListener("click", () => this.edit());
    byId("editor-close").addEventListener("click", () => this.dialog.close());
    byId("editor-use").addEventListener("click", () => this.try());
    byId<HTMLInputElement>("editor-file").addEventListener("change", (event) => void this.read(event));
  }

  show(model: ModelChoice): void {
    this.select.value = "library" in model ? model.library : OWN;
    if ("text" in model) this.text.value = model.text;
  }

  edit(): void {
    this.error.textContent = "";
    this.dialog.showModal();
    this.text.focus();
  }

  accepted(): void {
    this.dialog.close();
  }

  refused(sentence: string, text = this.text.value): void {
    this.text.value = text;
    if (!this.dialog.open) this.dialog.showModal();
    this.error.textContent = sentence;
  }

  private choose(): void {
    if (this.select.value === OWN) this.edit();
    else this.onChoose({ library: this.select.value });
  }

  private try(): void {
    const text = this.text.value;
    if (text.length > LARGEST) this.refused(`The model has ${text.length} characters, and at most ${LARGEST} are taken.`);
    else if (text.trim() === "") this.refused("There is no model yet: open a file, or paste the text of one.");
    else this.onTry({ text });
  }

  private async read(event: Event): Promise<void> {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file === undefined) return;
    if (file.size > LARGEST) this.refused(`${file.name} has ${file.size} bytes, and at most ${LARGEST} are taken.`);
    else this.text.value = await file.text();
  }
}
