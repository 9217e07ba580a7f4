// API keys: made, shown once, taken away.
import { path, read, send, write } from '../Base/api.js';
import { button, element, field, note, options, submit, table } from '../Base/dom.js';
import { refusal } from '../Base/problem.js';
import { enter, session } from '../Base/session.js';
import { announce } from '../Page/announce.js';
import { confirm } from '../Page/dialog.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

export async function view(place, { gateway, curl }) {
  curl({ target: path('keys') });
  const list = element('div', {});
  const show = async () => {
    const keys = await read(path('keys'));
    list.replaceChildren(keys.length === 0 ? note(texts.keys.none) : table(texts.places.keys, texts.keys.heads, keys.map((key) => [
      element('code', {}, key.id), key.name, key.role, key.classes.join(', ') || texts.keys.all, dateText(key.created?.$date ?? key.created),
      button(texts.keys.revoke, async () => {
        if (!await confirm(texts.keys.revoke, element('p', {}, texts.keys.revokeText(key.name || key.id)), texts.keys.revoke)) return;
        try {
          await send('DELETE', path('keys', key.id));
          await show();
        } catch (error) {
          announce.fail(error);
        }
      }, { class: 'dangerous' }),
    ])));
  };

  const roles = Object.keys(await read(path('roles')));
  const role = element('select', { name: 'role' }, ['admin', 'write', 'read', 'metrics', ...roles].map((name) => element('option', {}, name)));
  const name = element('input', { type: 'text', name: 'name' });
  const classes = element('select', { multiple: true, name: 'classes', size: 4 },
    options(gateway.schema.collections));
  const outcome = element('div', { role: 'status' });
  const form = element('form', { class: 'card', on: { submit: async (event) => {
    event.preventDefault();
    try {
      const made = await write('POST', path('keys'), { role: role.value, name: name.value, classes: [...classes.selectedOptions].map((one) => one.value) });
      outcome.replaceChildren(element('p', {}, texts.keys.shownOnce), element('pre', { class: 'secret', tabIndex: 0 }, made.key));
      // Where there was no key before, nobody is an administrator without one any more.
      if (session.kind === 'none' && made.role === 'admin' && made.classes.length === 0) enter({ kind: 'key', token: made.key, name: texts.enter.keyName(made.key) }, false);
      await show();
    } catch (error) {
      outcome.replaceChildren(refusal(error));
    }
  } } }, element('h2', {}, texts.keys.create), element('p', {}, texts.keys.firstKey), field(texts.keys.role, role), field(texts.keys.name, name),
  field(texts.keys.classes, classes), submit(texts.keys.create), outcome);
  place.append(element('h1', {}, texts.places.keys), list, form);
  await show();
}
