// API keys: made, shown once, taken away.
import { path, read, send, write } from '../Base/api.js';
import { button, element, field, note, options, table } from '../Base/dom.js';
import { enter, session } from '../Base/session.js';
import { announce } from '../Page/announce.js';
import { confirm } from '../Page/dialog.js';
import { secret, workForm } from '../Page/form.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

export async function view(place, { gateway, curl }) {
  curl({ target: path('keys') });
  const list = element('div', {});
  const show = async () => {
    const keys = await read(path('keys'));
    list.replaceChildren(keys.length === 0 ? note(texts.keys.none) : table(texts.places.keys, texts.keys.heads, keys.map((key) => [
      element('code', {}, key.id), key.name, key.role, key.classes.join(', ') || texts.keys.all, dateText(key.created?.$date ?? key.created),
      button(texts.keys.revoke, announce.attempt(async () => {
        if (!await confirm(texts.keys.revoke, element('p', {}, texts.keys.revokeText(key.name || key.id)), texts.keys.revoke)) return;
        await send('DELETE', path('keys', key.id));
        await show();
      }), { class: 'dangerous' }),
    ])));
  };

  const roles = Object.keys(await read(path('roles')));
  const role = element('select', { name: 'role' }, options(['admin', 'write', 'read', 'metrics', ...roles]));
  const name = element('input', { type: 'text', name: 'name' });
  const classes = element('select', { multiple: true, name: 'classes', size: 4 }, options(gateway.schema.collections));
  const controls = [element('p', {}, texts.keys.firstKey), field(texts.keys.role, role), field(texts.keys.name, name), field(texts.keys.classes, classes)];
  const form = workForm(texts.keys.create, controls, texts.keys.create, async () => {
    const made = await write('POST', path('keys'), { role: role.value, name: name.value, classes: [...classes.selectedOptions].map((one) => one.value) });
    // Where there was no key before, nobody is an administrator without one any more.
    if (session.kind === 'none' && made.role === 'admin' && made.classes.length === 0) enter({ kind: 'key', token: made.key, name: texts.enter.keyName(made.key) }, false);
    await show();
    return secret(made.key);
  });
  place.append(element('h1', {}, texts.places.keys), list, form);
  await show();
}
