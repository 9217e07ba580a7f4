// One object: its properties with their values, to be changed in place; what links to it; its deletion.
import { count, path, query, readWhole, send } from '../Base/api.js';
import { button, debounce, download, element, link, note } from '../Base/dom.js';
import { go, to } from '../Base/route.js';
import { announce } from '../Page/announce.js';
import { confirm } from '../Page/dialog.js';
import { texts } from '../Page/texts.js';
import { editCell } from './edit.js';
import { widened } from './documents.js';
import { heading, whole } from './value.js';

export async function view(place, { segments: [name, id], gateway, curl }) {
  const type = gateway.schema.type(name);
  if (!type) throw new Error(texts.data.noClass(name));
  const target = path('collections', name, id);
  curl({ target });
  const list = element('table', { class: 'object' });
  const state = element('span', { class: 'count' });
  let object;

  const show = async () => {
    object = await readWhole(target);
    state.textContent = object.tag ? texts.object.tag(object.tag) : '';
    if (type.isSchemaless) for (const property of widened([...cells.keys()], [object.value])) if (!cells.has(property)) add(property);
    for (const [property, cell] of cells) {
      const value = object.value[property.name];
      if (!cell.classList.contains('editing')) cell.replaceChildren(...[whole(property, value), downloadButton(property, value)].filter(Boolean));
    }
  };
  const cells = new Map();
  const body = element('tbody', {});
  const add = (property) => {
    const cell = element('td', { class: 'value' });
    cells.set(property, cell);
    body.append(element('tr', { 'data-property': property.name },
      element('th', { scope: 'row' }, property.name, element('small', {}, property.notation)), cell,
      element('td', {}, property.name === type.key ? '' : button(texts.edit.edit, () =>
        editCell({ gateway, type, key: id, property, cell, done: announce.attempt(show) }), { 'aria-label': texts.edit.editName(property.name) }))));
  };
  type.stored.forEach(add);
  list.append(element('caption', {}, texts.object.caption), body);

  const links = element('div', {}, texts.data.loading);
  place.append(element('div', { class: 'bar' },
    heading(name, id), state,
    button(texts.object.remove, () => remove(gateway, type, id, object.value, target), { class: 'dangerous' })),
    list, element('h2', {}, texts.object.linking), links);
  await show();
  linking(gateway.schema, type, object.value[type.key]).then((rows) => links.replaceChildren(rows));

  const again = debounce(async (changed = []) => {
    const before = object.tag;
    await show();
    if (before === object.tag) return;
    if (list.querySelector('.editing')) announce.say(texts.object.changedMeanwhile);
    for (const row of list.querySelectorAll('tr')) row.classList.toggle('flash', changed.includes(row.dataset.property));
  }, 100);
  return gateway.live.watch(`${target.slice(3)}${query({ fields: type.key, keyPaths: type.keyPaths })}`, (event, data) => {
    if (event === 'delete') announce.say(texts.object.deleted);
    else if (['update', 'resync', 'insert'].includes(event)) again(data.changed);
  });
}

function downloadButton(property, value) {
  if (property.kind !== 'value' || property.type !== 'data' || typeof value !== 'string') return undefined;
  return button(texts.object.download, () => {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
    download(`${property.name}.bin`, new Blob([bytes]));
  });
}

/** For each property anywhere that leads to the object, how many objects have such a link. */
async function linking(schema, type, key) {
  const found = [];
  for (const { type: source, property } of schema.linksTo(type.name)) {
    if (source.isEmbedded || property.isEmbedded) continue;
    const filter = condition(property, type.key, key);
    try {
      found.push({ source, property, filter, total: await count(source.name, { filter }) });
    } catch {
      // The class may not be read.
    }
  }
  if (found.length === 0) return note(texts.object.noLinks);
  return element('ul', { class: 'linking' }, found.map(({ source, property, filter, total }) => element('li', {},
    link(`${source.name}.${property.name}`, to('class', [source.name], { filter })), ` ${total.toLocaleString()}`)));
}

/** The filter for objects whose property leads to an object. */
export function condition(property, key, value) {
  const text = typeof value === 'string' ? literal(value) : String(value);
  const steps = { value: property.name, list: `ANY ${property.name}`, set: `ANY ${property.name}`, map: `ANY ${property.name}.@values` }[property.kind];
  return `${steps}.${key} == ${text}`;
}

function literal(text) {
  if (/^[0-9a-f]{24}$/.test(text)) return `oid(${text})`;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return `uuid(${text})`;
  return JSON.stringify(text);
}

/** Deletes an object, once the user has seen what goes with it. */
const remove = announce.attempt(async (gateway, type, id, object, target) => {
  const embedded = type.stored.filter((property) => property.isEmbedded)
    .map((property) => [property.name, property.kind === 'value' ? Number(Boolean(object[property.name])) : Object.keys(object[property.name] ?? {}).length])
    .filter(([, count]) => count > 0);
  const content = element('div', {},
    element('p', {}, texts.object.removeText(type.name, id)),
    embedded.length > 0 ? element('p', {}, texts.object.embedded(embedded.map(([name, count]) => `${name} (${count})`).join(', '))) : undefined,
    element('p', {}, texts.object.nulled), await linking(gateway.schema, type, object[type.key]));
  if (!await confirm(texts.object.remove, content, texts.object.remove)) return;
  await send('DELETE', target);
  announce.say(texts.object.removed);
  go('class', [type.name]);
});
