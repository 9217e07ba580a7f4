// Apps: databases beside the default one, made, entered and removed.
import { path, query, read, root, send, write } from '../Base/api.js';
import { button, element, field, link, note, table } from '../Base/dom.js';
import { announce } from '../Page/announce.js';
import { confirm } from '../Page/dialog.js';
import { secret, workForm } from '../Page/form.js';
import { texts } from '../Page/texts.js';

export async function view(place, { curl }) {
  curl({ target: path('apps') });
  const list = element('div', {});
  const show = async () => {
    const apps = await read(path('apps'));
    list.replaceChildren(apps.length === 0 ? note(texts.apps.none) : table(texts.places.apps, texts.apps.heads, apps.map((app) => [
      link(app.name, new URL(`console${query({ app: app.name })}`, root).href), app.open ? texts.apps.open : texts.apps.closed, texts.apps.size(app.bytes),
      Object.entries(app.settings).map(([name, value]) => `${name}=${value}`).join(', '),
      button(texts.apps.remove, announce.attempt(async () => {
        const again = element('input', { type: 'text', name: 'again', autocomplete: 'off' });
        if (!await confirm(texts.apps.remove, element('div', {}, element('p', {}, texts.apps.removeText(app.name)), field(texts.apps.again, again)), texts.apps.remove)) return;
        await send('DELETE', path('apps', app.name) + query({ confirm: again.value }));
        await show();
      }), { class: 'dangerous' }),
    ])));
  };

  const name = element('input', { type: 'text', name: 'name', required: true });
  const form = workForm(texts.apps.create, [element('p', {}, texts.apps.firstKey), field(texts.apps.name, name)], texts.apps.create, async () => {
    const made = await write('POST', path('apps'), { name: name.value });
    await show();
    return secret(made.key);
  });
  place.append(element('h1', {}, texts.places.apps), list, form);
  await show();
}
