// The change feed of everything, with each change as a difference, and a time line of commits to go through.
import { path, query, read, readWhole } from '../Base/api.js';
import { button, element, field, note, options } from '../Base/dom.js';
import { texts } from '../Page/texts.js';
import { difference } from '../Data/difference.js';
import { dateText, objectLink } from '../Data/value.js';
import { Timeline } from './timeline.js';
import { undo } from './undo.js';

/** As many commits are read back, and kept. */
const mostCommits = 300;

export async function view(place, { gateway, curl }) {
  const commits = new Map();
  const ofClass = element('select', { name: 'class', on: { change: () => show(chosen) } }, element('option', { value: '' }, texts.changes.everything),
    options(gateway.schema.collections));
  const list = element('div', { class: 'commits' });
  const timeline = new Timeline((version) => show(version));
  let chosen;

  const add = (change) => {
    const commit = commits.get(change.version) ?? { version: change.version, time: change.time, changes: [] };
    commit.changes.push(change);
    commits.set(change.version, commit);
    while (commits.size > mostCommits) commits.delete(commits.keys().next().value);
  };

  /** Shows a commit, or the newest ones. */
  const show = (version) => {
    chosen = version;
    const matches = (commit) => ofClass.value === '' || commit.changes.some((change) => change.class === ofClass.value);
    const all = [...commits.values()].filter(matches);
    timeline.show(all, version);
    const shown = version === undefined ? all.slice(-20).reverse() : all.filter((commit) => commit.version === version);
    list.replaceChildren(...shown.map((commit) => card(commit, gateway)));
    if (shown.length === 0) list.replaceChildren(note(texts.changes.none));
  };

  place.append(element('h1', {}, texts.places.changes),
    element('div', { class: 'bar' }, field(texts.changes.class, ofClass), button(texts.changes.newest, () => show(undefined))),
    timeline.element, list);

  const { next } = await read(path('changes'));
  const end = Number.parseInt(next, 10);
  curl({ target: path('changes') + query({ since: Math.max(0, end - mostCommits) }) });
  for (const change of await latest(end)) add(change);
  show(undefined);

  // Events of a commit come before its `version`, with which they are shown.
  const coming = [];
  const unwatch = gateway.live.watch(`collections${query({ values: true, since: next })}`, (event, data) => {
    if (['insert', 'update', 'delete', 'schema'].includes(event)) coming.push(changeOf(event, data));
  });
  const arrive = () => {
    if (coming.length === 0) return;
    const versions = new Set(coming.map((change) => change.version));
    for (const change of coming.splice(0)) add(change);
    show(chosen);
    for (const one of list.children) if (versions.has(Number(one.dataset.version))) one.classList.add('flash');
  };
  gateway.live.addEventListener('version', arrive);
  return () => {
    unwatch();
    gateway.live.removeEventListener('version', arrive);
  };
}

/** The changes of the last commits: of fewer ones where they are large or the log begins later, and of the last one its beginning. */
async function latest(end) {
  let changes = [];
  for (const back of [mostCommits, 50, 10, 1]) {
    changes = [];
    let target = path('changes') + query({ since: Math.max(0, end - back), limit: 1000 });
    try {
      for (let page = 0; target && page < 4; page += 1) {
        const { value, next } = await readWhole(target);
        changes.push(...value.changes);
        target = next;
      }
    } catch (error) {
      if (error.status !== 410) throw error;
    }
    if (!target) break;
  }
  return changes;
}

const changeOf = (event, data) => ({ ...data, operation: event, after: data.after ?? (event === 'insert' ? data.object : undefined) });

const mostShown = 50;

function card({ version, time, changes }, gateway) {
  return element('article', { class: 'card commit', 'data-version': version },
    element('h2', {}, texts.changes.commit(version), ' ', element('time', { dateTime: time ?? '' }, time ? dateText(time) : ''),
      element('small', {}, texts.changes.count(changes.length))),
    changes.slice(0, mostShown).map((change) => element('section', { class: `change ${change.operation}` },
      element('h3', {}, texts.changes.operations[change.operation] ?? change.operation, ' ', change.class ?? '', ' ',
        change.class ? objectLink(change.class, change.id) : '',
        change.class ? button(texts.undo.title, () => undo(gateway.schema, change), { disabled: !undo.isPossible(change) }) : ''),
      difference(change.before, change.after), elements(change))),
    changes.length > mostShown ? element('p', {}, texts.changes.more(changes.length - mostShown)) : undefined);
}

/** The changed elements of collections. */
function elements(change) {
  return Object.entries(change.elements ?? {}).map(([name, parts]) => element('div', {}, element('h4', {}, name),
    parts.map((part) => difference({ [part.key ?? part.index ?? '']: part.before }, { [part.key ?? part.index ?? '']: part.after }))));
}
