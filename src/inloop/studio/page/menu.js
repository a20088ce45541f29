// The rest of the toolbar in small windows, behind one button.

import { byId } from "./dom.js";

/** Let the button open and close the controls that do not fit into one row. */
export function startMenu() {
  const [button, rest] = [byId("more"), byId("rest")];
  /** @param {boolean} open */
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    rest.classList.toggle("open", open);
  };
  button.onclick = () => show(button.getAttribute("aria-expanded") !== "true");
  rest.addEventListener("change", () => show(false));
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Node) || rest.contains(target) || button.contains(target)) return;
    show(false);
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") show(false);
  });
}
