// Changes of one property, made only if the object is as it was shown; otherwise both versions are shown.
import { path, readWhole, write } from '../Base/api.js';
import { button, element, submit } from '../Base/dom.js';
import { stringify } from '../Base/json.js';
import { sentence } from '../Base/problem.js';
import { announce } from '../Page/announce.js';
import { choose } from '../Page/dialog.js';
import { texts } from '../Page/texts.js';
import { editor } from './editors.js';
import { difference } from './difference.js';

const patchType = 'application/merge-patch+json';

/** Puts the control of a property into a cell. `done` is called when it is gone. */
export const editCell = announce.attempt(async ({ gateway, type, key, property, cell, done }) => {
  if (property.name === type.key || property.options?.onUpdate) throw new Error(texts.edit.fixed(property.name));
  const object = await readWhole(path('collections', type.name, key));
  const before = [...cell.childNodes];
  const control = editor(gateway.schema, property, object.value[property.name]);
  const problem = element('span', { class: 'problem', role: 'alert' });
  const close = (hasChanged) => {
    cell.classList.remove('editing');
    cell.replaceChildren(...before);
    done(hasChanged);
  };
  const save = async () => {
    try {
      const isDone = await change({ type, key, object, changes: { [property.name]: control.value() } });
      close(isDone);
    } catch (error) {
      problem.textContent = sentence(error);
    }
  };
  const form = element('form', { class: 'cell-editor', on: {
    submit: (event) => { event.preventDefault(); save(); },
    keydown: (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') close(false);
      if (event.key === 'Enter' && (event.ctrlKey || event.target.tagName === 'INPUT')) { event.preventDefault(); save(); }
    },
    dblclick: (event) => event.stopPropagation(), click: (event) => event.stopPropagation(),
  } }, control.element, element('span', { class: 'actions' }, submit(texts.edit.save),
    button(texts.dialog.cancel, () => close(false))), problem);
  cell.classList.add('editing');
  cell.replaceChildren(form);
  (control.focus ?? (() => control.element.focus()))();
});

/** Changes properties of an object that was read before. Answers whether they are changed; the user may let it be. */
export async function change({ type, key, object, changes }) {
  const place = path('collections', type.name, key);
  const headers = { prefer: 'return=minimal' };
  try {
    await write('PATCH', place, mergePatch(type, object.value, changes), { type: patchType, headers: object.tag ? { ...headers, 'if-match': object.tag } : headers });
    return true;
  } catch (error) {
    if (error.status !== 412) throw error;
  }
  const now = await readWhole(place);
  const choice = await choose(texts.edit.conflict, element('div', {},
    element('p', {}, texts.edit.conflictText),
    element('h3', {}, texts.edit.theirs), difference(object.value, now.value),
    element('h3', {}, texts.edit.yours), difference(object.value, { ...object.value, ...changes })), {
    overwrite: { text: texts.edit.overwrite, isDangerous: true }, keep: { text: texts.edit.keepTheirs },
  });
  if (choice !== 'overwrite') return false;
  return change({ type, key, object: now, changes });
}

/** A merge patch only adds to documents: entries of maps and embedded objects that are gone must be named with null. */
function mergePatch(type, before, changes) {
  const patch = { ...changes };
  for (const [name, value] of Object.entries(changes)) {
    const property = type.property(name);
    const isDocument = value && typeof value === 'object' && !Array.isArray(value) && (property?.kind === 'map' || property?.isEmbedded);
    if (!isDocument || !before[name]) continue;
    const gone = Object.keys(before[name]).filter((key) => !Object.hasOwn(value, key));
    const kept = Object.entries(value).filter(([key, one]) => stringify(one) !== stringify(before[name][key]) || !Object.hasOwn(before[name], key));
    patch[name] = Object.fromEntries([...kept, ...gone.map((key) => [key, null])]);
  }
  return patch;
}
