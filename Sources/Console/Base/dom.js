// Elements are made here and nowhere else: texts become text nodes, and no string is ever read as HTML.

/**
 * Makes an element. Of `properties`, `on` has listeners, `class` is the class, `style` has properties of CSS; names with a
 * hyphen, `role` and the like are attributes, and all others are the element's own properties.
 */
export function element(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

const namespace = 'http://www.w3.org/2000/svg';

/** Makes an element of SVG, whose properties are attributes. */
export function svg(name, properties = {}, ...children) {
  const made = document.createElementNS(namespace, name);
  const { on = {}, ...attributes } = properties;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return fill(made, { on }, children);
}

const attributes = new Set(['role', 'for', 'list', 'colspan', 'scope', 'form', 'maxlength']);

function fill(made, { on = {}, style = {}, ...properties }, children) {
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  for (const [key, value] of Object.entries(style)) made.style.setProperty(key, value);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key === 'class') made.className = value;
    else if (key.includes('-') || attributes.has(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const button = (text, click, properties = {}) =>
  element('button', { type: 'button', ...properties, on: { click, ...properties.on } }, text);

export const link = (text, href, properties = {}) => element('a', { href, ...properties }, text);

/** A labelled control: the label stands before it, or around it where it is a check box. */
export function field(label, control, hint) {
  const note = hint ? element('small', {}, hint) : undefined;
  return element('label', { class: control.type === 'checkbox' ? 'field check' : 'field' },
    element('span', {}, label), control, note);
}

/** A line that says that there is nothing. */
export const note = (text) => element('p', { class: 'empty' }, text);

export const submit = (text, properties = {}) => element('button', { type: 'submit', class: 'primary', ...properties }, text);

/** The options of a choice, as texts or pairs of value and text. */
export const options = (all, chosen) => all.map((one) => {
  const [value, text] = Array.isArray(one) ? one : [one, one];
  return element('option', { value, selected: value === chosen }, text);
});

/** A table of rows, each an array of texts or elements. */
export function table(caption, heads, rows) {
  return element('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': caption },
    element('table', {},
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell) => element('td', {}, cell)))))));
}

/** Offers content as a file. */
export function download(name, blob) {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** Calls `body` again and again, with that many milliseconds between; answers how to end it. */
export function repeat(body, delay) {
  const timer = setInterval(body, delay);
  return () => clearInterval(timer);
}

/** Calls `body` once nothing has asked for it for a while, in milliseconds. */
export function debounce(body, delay) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...values), delay);
  };
}
