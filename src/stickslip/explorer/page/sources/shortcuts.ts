// Keys: one letter for each action, wherever nothing is being typed.

export function bindShortcuts(ready: () => boolean, actions: Record<string, () => void>): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !ready()) return;
    if (event.key !== "Escape" && isTyped(event.target)) return;
    const action = actions[event.key];
    if (action === undefined) return;
    // A button that has the focus is pressed by the space bar, and what folds out folds out.
    if (event.key === " " && event.target instanceof Element && event.target.matches("button, summary")) return;
    event.preventDefault();
    action();
  });
}

function isTyped(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && target.type !== "range";
}
