// The objects of a class, as a table that is kept up to date.
import { path, query } from '../Base/api.js';
import { debounce, element, link } from '../Base/dom.js';
import { refusal } from '../Base/problem.js';
import { go, to } from '../Base/route.js';
import { Property } from '../Base/schema.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { segment, widened } from './documents.js';
import { explanation } from './explain.js';
import { editCell } from './edit.js';
import { FilterLine } from './filter.js';
import { emptyNote, Grid } from './grid.js';
import { Rows } from './rows.js';
import { heading } from './value.js';

/** A plan that was opened stays open from one filter to the next. */
let isPlanOpen = false;

export async function view(place, { segments: [name], parameters, gateway, curl }) {
  const type = gateway.schema.type(name);
  if (!type) throw new Error(texts.data.noClass(name));
  place.classList.add('full');
  const { filter = '', sort = '' } = parameters;
  const again = (changes) => go('class', [name], { filter, sort, ...changes });
  curl({ target: path('collections', name) + query({ filter, sort, limit: 100 }) });

  const count = element('span', { class: 'count', role: 'status' });
  const plan = element('details', { class: 'plan', open: isPlanOpen, on: { toggle: () => { isPlanOpen = plan.open; } } }, element('summary', {}, texts.explain.title));
  const line = new FilterLine(gateway.schema, type, filter, {
    sort, apply: (text) => again({ filter: text }),
    explained: (found) => plan.replaceChildren(plan.firstChild, explanation(found)),
  });
  const note = element('div', {});
  const columns = columnsOf(type);
  const rows = new Rows(type, { filter, sort }, () => {
    count.textContent = texts.data.count(rows.total, rows.isLoading);
    note.replaceChildren(...rows.keys.length === 0 ? [emptyNote(rows.isLoading)] : []);
    // The fields of the documents that have been looked at; no row that is being changed loses its control.
    const all = type.isSchemaless ? widened(grid.columns, rows.objects) : grid.columns;
    if (all.length > grid.columns.length && !grid.element.querySelector('.editing')) grid.show(all);
    grid.ask();
  });
  const grid = new Grid(rows, columns, {
    sort, sortBy: (order) => again({ sort: order }),
    edit: (key, column, cell) => editCell({ gateway, type, key: segment(type, key), property: column, cell, done: () => { rows.forget(key); grid.element.focus(); grid.ask(); } }),
  });

  place.append(element('div', { class: 'bar' },
    heading(name), count,
    link(texts.data.create, to('create', [name]), { class: 'action' }),
    link(texts.data.transfer, to('transfer', [name], { filter, sort }), { class: 'action' }),
    link(texts.data.map, to('map', [name], { filter }), { class: 'action' }),
    link(texts.data.plot, to('plot', [name], { filter }), { class: 'action' })),
    line.element, plan, grid.element, note);
  line.explain();

  const reload = debounce(() => rows.load().catch(() => {}), 400);
  const unwatch = gateway.live.watch(`collections/${encodeURIComponent(name)}${query({ filter: unordered(filter), fields: type.key, keyPaths: type.keyPaths })}`, (event, data) => {
    if (event === 'update') rows.forget(data.id);
    else if (event === 'delete') rows.remove(data.id);
    else if (event === 'insert' && sort === '' && unordered(filter) === filter) rows.append(data.id);
    else if (['insert', 'resync'].includes(event)) return reload();
    else if (event === 'refused') return announce.say(texts.live.refused(data.detail));
    else return undefined;
    count.textContent = texts.data.count(rows.total, rows.isLoading);
    grid.flash(data.id);
    return grid.ask();
  });
  rows.load().catch((error) => {
    if (error.name === 'AbortError') return;
    note.replaceChildren(refusal(error));
  });
  return () => {
    unwatch();
    rows.close();
    grid.close();
  };
}

/** The key first, collections last. */
function columnsOf(type) {
  const rank = (property) => (property.name === type.key ? 0 : property.kind !== 'value' || property.isEmbedded ? 2 : 1);
  const columns = [...type.stored].sort((left, right) => rank(left) - rank(right));
  return type.primaryKey ? columns : [keyColumn, ...columns];
}

const keyColumn = new Property('_key', 'int');

/** A filter without what only orders its results, which streams of changes do not take. */
const unordered = (filter) => filter.replace(/\s*\b(SORT|DISTINCT|LIMIT)\s*\(.*$/is, '').trim();
