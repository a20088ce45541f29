// Measures the page: which text is cut, what overlaps, what lies outside, what covers the mechanism.
// Evaluated in the page; gives a list of complaints, each a line of text.

() => {
  const complaints = [];
  const SLACK = 1.5; // [px]
  const scrolls = (value) => value === "auto" || value === "scroll";

  const visible = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    // only for those who listen
    for (let e = element; e; e = e.parentElement)
      if (getComputedStyle(e).clipPath !== "none") return false;
    return true;
  };

  const name = (element) => {
    const id = element.closest("[id]")?.id;
    const kind = element.className && typeof element.className === "string"
      ? `.${element.className.split(" ")[0]}` : element.tagName.toLowerCase();
    return id ? (element.id === id ? `#${id}` : `#${id} ${kind}`) : kind;
  };

  const cross = (a, b) => ({
    left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
  });
  const empty = (r) => r.right - r.left <= SLACK || r.bottom - r.top <= SLACK;
  const words = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 40));

  // what is left of a box inside of all that clips it; what cannot be scrolled to is cut
  const clip = (element, box, complain) => {
    let seen = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    let outside = false; // what has its place in an ancestor is not clipped by those in between
    for (let e = element; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.position === "fixed") break;
      if (outside && style.position === "static") continue;
      outside = style.position === "absolute";
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const frame = e.getBoundingClientRect();
      const [across, down] = [scrolls(style.overflowX), scrolls(style.overflowY)];
      if (!across && (seen.left < frame.left - SLACK || seen.right > frame.right + SLACK))
        complain(`is cut at the side by ${name(e)}`);
      if (!down && (seen.top < frame.top - SLACK || seen.bottom > frame.bottom + SLACK))
        complain(`is cut above or below by ${name(e)}`);
      seen = cross(seen, frame);
      if (empty(seen)) return null;
    }
    const root = document.documentElement;
    if (seen.left < -SLACK || seen.right > innerWidth + SLACK) complain("is outside of the window");
    if (seen.top + scrollY < -SLACK || seen.bottom + scrollY > root.scrollHeight + SLACK)
      complain("is above or below the page");
    return seen;
  };

  // all texts as boxes
  const pen = document.createElement("canvas").getContext("2d");
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || /^(SCRIPT|STYLE|NOSCRIPT|OPTION)$/.test(element.tagName)) continue;
    if (!visible(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      const seen = clip(element, box, (what) =>
        complaints.push(`${name(element)} ${words(node.data)} ${what}`));
      if (seen) texts.push({ element, box: seen, text: node.data });
    }
  }

  // fields and menus: their text must fit
  for (const field of document.querySelectorAll("input, select")) {
    if (!visible(field) || ["range", "checkbox", "radio"].includes(field.type)) continue;
    const style = getComputedStyle(field);
    // the short form is empty where digits are of equal width
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const shown = field.tagName === "SELECT"
      ? field.selectedOptions[0]?.textContent ?? "" : field.value || field.placeholder;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const wide = pen.measureText(shown).width;
    if (wide > room + 0.5)
      complaints.push(`${name(field)} ${words(shown)} needs ${wide.toFixed(0)} px and has ${room.toFixed(0)}`);
  }

  // texts that end in an ellipsis
  for (const { element, text } of texts) {
    for (let e = element; e; e = e.parentElement) {
      if (getComputedStyle(e).textOverflow !== "ellipsis" || e.tagName === "SELECT") continue;
      if (e.scrollWidth > e.clientWidth + SLACK)
        complaints.push(`${name(e)} ${words(text)} ends in an ellipsis`);
    }
  }

  // no text over a text, no control over a text or a control
  const controls = [...document.querySelectorAll("button, select, input, summary, .plot, canvas#view")]
    .filter(visible)
    .map((element) => ({ element, box: clip(element, element.getBoundingClientRect(), () => {}), text: "" }))
    .filter(({ box }) => box);
  const all = [...texts, ...controls];
  const related = (a, b) => a === b || a.contains(b) || b.contains(a);
  // what floats above all and goes away again: told apart below
  const floating = (e) => e.closest("dialog, .picker, .notices");
  for (let i = 0; i < all.length; i += 1)
    for (let j = i + 1; j < all.length; j += 1) {
      const [a, b] = [all[i], all[j]];
      if (related(a.element, b.element) || floating(a.element) !== floating(b.element)) continue;
      if (!empty(cross(a.box, b.box)))
        complaints.push(`${name(a.element)} ${words(a.text)} lies on ${name(b.element)} ${words(b.text)}`);
    }

  // nothing on the mechanism, the hint, the rewind bar
  const { view } = window.inloop;
  const frame = view.canvas.getBoundingClientRect();
  const hint = [document.getElementById("hand-hint"), document.getElementById("rewind")]
    .filter((e) => e && visible(e)).map((e) => ({ element: e, box: e.getBoundingClientRect() }));
  const above = [...document.querySelectorAll(".notice, .alarm, .note, .caption > *, .corner > *, .deflection, .ruler, .hint, .rewind > *")]
    .filter(visible).map((element) => ({ element, box: element.getBoundingClientRect() }));
  for (const { element, box } of above) {
    for (const part of hint)
      if (!related(element, part.element) && !empty(cross(box, part.box)))
        complaints.push(`${name(element)} covers ${name(part.element)}`);
    if (empty(cross(box, frame))) continue;
    const covered = corners().filter(([x, y]) =>
      x > box.left && x < box.right && y > box.top && y < box.bottom);
    if (covered.length) complaints.push(`${name(element)} covers the mechanism`);
  }

  // corners of all that is drawn of the bodies, in pixels of the window
  function corners() {
    const found = [];
    const { changed } = view.eye;
    view.eye.apply();
    view.eye.changed = changed; // the picture still has to be drawn
    for (const node of view.nodes.values())
      node.traverse((object) => {
        const place = object.geometry?.getAttribute?.("position");
        if (!place) return;
        const point = view.eye.target.clone();
        const every = Math.max(1, Math.floor(place.count / 200));
        for (let k = 0; k < place.count; k += every) {
          point.fromBufferAttribute(place, k).applyMatrix4(object.matrixWorld).project(view.eye.camera);
          found.push([frame.left + ((point.x + 1) / 2) * frame.width,
            frame.top + ((1 - point.y) / 2) * frame.height]);
        }
      });
    return found;
  }

  // labels of an axis differ
  for (const plot of document.querySelectorAll(".chart"))
    if (visible(plot) && plot.querySelector(".plot").clientHeight < 40)
      complaints.push(`${plot.getAttribute("aria-label")} is only ${plot.querySelector(".plot").clientHeight} px high`);

  // the bar is one row, and the mechanism has room
  const bar = document.querySelector("header.bar").getBoundingClientRect();
  if (bar.height > 64) complaints.push(`the bar is ${bar.height.toFixed(0)} px high`);
  if (frame.width < 200 || frame.height < 120)
    complaints.push(`the picture has ${frame.width.toFixed(0)} × ${frame.height.toFixed(0)} px`);
  return [...new Set(complaints)];
}
