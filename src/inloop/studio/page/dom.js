// Making and finding elements.

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** A new element: attributes by name, `on…` as listeners, children as nodes or text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An icon of icons.svg. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `/static/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/** Change the icon and the word of a button, if it has them. */
export function dress(button, name, word) {
  button.querySelector("use")?.setAttribute("href", `/static/icons.svg#${name}`);
  const span = button.querySelector("span");
  if (span) span.textContent = word;
  else button.setAttribute("aria-label", word);
}

/** Offer a blob as a file. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** True if what has the focus uses the space bar itself. */
export function usesSpace(event) {
  return ["BUTTON", "SELECT", "SUMMARY", "INPUT", "A"].includes(event.target.tagName);
}

/** True while the person types text, so that letters are no shortcuts. */
export function typing(event) {
  const { target } = event;
  if (target.isContentEditable || target.tagName === "TEXTAREA") return true;
  return (
    target.tagName === "INPUT" && !["range", "checkbox", "radio", "button"].includes(target.type)
  );
}
