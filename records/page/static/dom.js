// Building elements, and the signs of buttons.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Wait for another task, so that the browser can paint and take input in between. */
export function nextTask() {
  return new Promise((done) => setTimeout(done));
}

const ICONS = {
  first: "M5 4h3v16H5zM20 4v16L9 12z", last: "M16 4h3v16h-3zM4 4v16l11-8z", back: "M17 4v16L6 12z", next: "M7 4v16l11-8z",
  clock: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1 4h2v6l4 3-1.2 1.6L11 13Z",
  play: "M6 3v18l15-9z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", "deal back": "M12 4v16L2 12zM22 4v16l-10-8z", "deal next": "M2 4v16l10-8zM12 4v16l10-8z",
};

export function icon(name) {
  return drawn("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, drawn("path", { d: ICONS[name] }));
}

/** A choice that this browser keeps, or `null`. */
export function kept(name) {
  try { return localStorage.getItem(`kozyr-${name}`); } catch { return null; }
}

export function keep(name, value) {
  try { localStorage.setItem(`kozyr-${name}`, value); } catch { /* a browser that keeps nothing */ }
}
