// Equations as MathML: what the server sends is taken apart and only mathematics is kept.

const MATHML = "http://www.w3.org/1998/Math/MathML";

export function showEquations(host: HTMLElement, text: string): void {
  const parsed = new DOMParser().parseFromString(`<div>${text}</div>`, "text/html");
  const found = [...parsed.querySelectorAll("math")].filter((math) => math.parentElement?.closest("math") === null);
  host.replaceChildren(...found.map((math) => copied(math)));
  host.hidden = found.length === 0;
}

function copied(element: Element): Element {
  const copy = document.createElementNS(MATHML, element.localName);
  for (const name of ["display", "mathvariant", "stretchy", "accent", "columnalign", "width", "fence"]) {
    const value = element.getAttribute(name);
    if (value !== null) copy.setAttribute(name, value);
  }
  for (const child of element.childNodes) {
    if (child instanceof Element || child.nodeType === Node.ELEMENT_NODE) {
      const inner = child as Element;
      if (inner.namespaceURI === MATHML) copy.append(copied(inner));
    } else if (child.nodeType === Node.TEXT_NODE) copy.append(child.textContent ?? "");
  }
  return copy;
}
