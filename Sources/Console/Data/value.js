// Values as texts and as cells of tables.
import { element, link } from '../Base/dom.js';
import { stringify } from '../Base/json.js';
import { to } from '../Base/route.js';
import { texts } from '../Page/texts.js';

const longest = 120;

/** A text of one line for any value. */
export function summary(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (typeof value !== 'object') return String(value);
  const text = stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A date in the viewer's own time. */
export function dateText(value) {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

export const numberText = (value) =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)) ? value.toLocaleString() : String(value);

/** The number of bytes that a text in Base64 stands for. */
export const byteCount = (base64) => Math.floor(base64.replace(/=+$/, '').length * 3 / 4);

/** The text of a value of a property, for a cell. */
export function cellText(property, value) {
  if (value === null || value === undefined) return '';
  if (property.kind === 'list' || property.kind === 'set') return Array.isArray(value) ? texts.value.elements(value.length, value.slice(0, 5).map(summary).join(', ')) : summary(value);
  if (property.kind === 'map') return texts.value.entries(Object.keys(value).length, Object.entries(value).slice(0, 3).map(([key, one]) => `${key}: ${summary(one)}`).join(', '));
  if (property.type === 'date') return dateText(value);
  if (property.type === 'data' && typeof value === 'string') return texts.value.bytes(byteCount(value));
  return summary(value);
}

export const objectLink = (name, id, text = String(id)) => link(text, to('object', [name, id]), { class: 'object' });

/** The heading of a view of a class: the way to it. */
export const heading = (name, part, parameters) => element('h1', {}, link(texts.places.data, '#/'), ' / ',
  part === undefined ? name : [link(name, to('class', [name], parameters)), ' / ', part]);

/** The link inside a mixed value, if it is one. */
export const mixedLink = (value) =>
  (value && typeof value === 'object' && typeof value.$ref === 'string' && '$id' in value ? value : undefined);

/** Any value in full: links open, collections are lists. */
export function whole(property, value) {
  if (value === null || value === undefined) return element('span', { class: 'null' }, texts.value.nothing);
  const single = { ...property, kind: 'value', isLink: property.isLink };
  if (property.kind === 'list' || property.kind === 'set') {
    return collection(value.length, value.map((one) => element('li', {}, whole(single, one))), 'ol');
  }
  if (property.kind === 'map') {
    const entries = Object.entries(value);
    return collection(entries.length, entries.flatMap(([key, one]) => [element('dt', {}, key), element('dd', {}, whole(single, one))]), 'dl');
  }
  if (property.isLink) return objectLink(property.target, value);
  const found = mixedLink(value);
  if (found) return objectLink(found.$ref, found.$id, `${found.$ref} ${found.$id}`);
  if (property.type === 'date') return element('time', { dateTime: value, title: value }, dateText(value));
  if (typeof value === 'object') return element('pre', {}, stringify(value, 2));
  return element('span', { class: property.type }, property.type === 'string' ? value : String(value));
}

function collection(count, items, name) {
  if (count === 0) return element('span', { class: 'null' }, texts.value.empty);
  const all = element(name, { class: 'collection' }, items);
  return count <= 12 ? all : element('details', {}, element('summary', {}, texts.value.count(count)), all);
}
