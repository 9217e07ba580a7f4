// Undoes one change by what the change log has of it: a write of its own, made only if nothing is there that it would lose.
import { path, readWhole, send, write } from '../Base/api.js';
import { element } from '../Base/dom.js';
import { change as changeObject } from '../Data/edit.js';
import { difference } from '../Data/difference.js';
import { announce } from '../Page/announce.js';
import { confirm } from '../Page/dialog.js';
import { texts } from '../Page/texts.js';

export const undo = announce.attempt(async (schema, change) => {
  const type = schema.type(change.class);
  const place = path('collections', change.class, change.id);
  const isSure = await confirm(texts.undo.title, element('div', {}, element('p', {}, texts.undo.text), difference(change.after, change.before)), texts.undo.title, change.operation === 'insert');
  if (!isSure) return;
  if (change.operation === 'insert') await send('DELETE', place);
  else if (change.operation === 'delete') await write('PUT', place, storable(type, change.before), { headers: { 'if-none-match': '*' } });
  else if (!await changeObject({ type, key: change.id, object: await readWhole(place), changes: storable(type, change.before) })) return;
  announce.say(texts.undo.done);
});

/** Whether the log has all that it takes; of collections of which elements changed it has only these. */
undo.isPossible = (change) => Boolean(change.class) && !change.elements
  && (change.operation === 'insert' || (change.before !== undefined && change.before !== null));

function storable(type, values) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => type.property(name) && !type.property(name).options.onUpdate));
}
