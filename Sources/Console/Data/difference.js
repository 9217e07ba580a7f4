// Two states of an object as a table: of each property that differs, before and after.
import { element } from '../Base/dom.js';
import { stringify } from '../Base/json.js';
import { texts } from '../Page/texts.js';

const text = (value) => (value === undefined ? '' : typeof value === 'string' ? value : stringify(value));

export function difference(before = {}, after = {}) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .filter((name) => stringify(before?.[name]) !== stringify(after?.[name]));
  if (names.length === 0) return element('p', { class: 'null' }, texts.difference.none);
  return element('table', { class: 'difference' },
    element('thead', {}, element('tr', {}, texts.difference.heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, names.map((name) => {
      const [old, now] = marked(text(before?.[name]), text(after?.[name]));
      return element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, old), element('td', {}, now));
    })));
}

/** The middles in which two texts differ, marked. */
function marked(old, now) {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const part = (whole, name) => {
    const middle = whole.slice(start, whole.length - end);
    return [shortened(whole.slice(0, start), true), middle === '' ? '' : element(name, {}, middle), shortened(whole.slice(whole.length - end), false)];
  };
  return [part(old, 'del'), part(now, 'ins')];
}

const shortened = (same, isStart) => (same.length <= 40 ? same : isStart ? `…${same.slice(-36)}` : `${same.slice(0, 36)}…`);
