// Accounts and their users: confirmed, shut out, let in again, given roles; and the ways to log in.
import { path, readWhole, read, send, write } from '../Base/api.js';
import { button, element, field, note, table } from '../Base/dom.js';
import { stringify } from '../Base/json.js';
import { announce } from '../Page/announce.js';
import { choose } from '../Page/dialog.js';
import { workForm } from '../Page/form.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

export async function view(place, { curl }) {
  curl({ target: path('accounts') });
  const list = element('div', {});
  let target = path('accounts');

  const show = async () => {
    const { value: accounts, next } = await readWhole(target);
    list.replaceChildren(accounts.length === 0 ? note(texts.users.none) : table(texts.places.users, texts.users.heads, accounts.map((account) => [
      account.email, account.user ? element('code', {}, account.user) : '', account.confirmed ? texts.users.confirmed : texts.users.waiting,
      account.disabled ? texts.users.disabled : '', element('span', { class: 'actions' }, actions(account, act, roles)),
    ])), next ? button(texts.users.next, () => { target = next; show(); }) : '');
  };
  const act = (work) => announce.attempt(async () => {
    await work();
    await show();
  });

  const id = element('input', { type: 'text', name: 'user', required: true, spellcheck: false });
  const other = workForm(texts.users.other, field(texts.users.id, id), texts.users.roles, () => roles(id.value.trim()));
  place.append(element('h1', {}, texts.places.users), list, other);
  await show();
  place.append(element('h2', {}, texts.users.providers), providers(await read(path('providers'))));
}

/** The ways to log in, with their settings. */
function providers(all) {
  if (all.length === 0) return note(texts.users.noProviders);
  return table(texts.users.providers, texts.users.providerHeads, all.map(({ name, settings }) => [
    element('code', {}, name), element('div', { class: 'value' }, Object.entries(settings).map(([member, value]) => `${member}: ${[value].flat().join(', ')}`).join('\n')),
  ]));
}

function actions(account, act, roles) {
  return [
    account.confirmed ? undefined : button(texts.users.confirm, act(() => send('PUT', path('accounts', account.email, 'confirm')))),
    button(texts.users.reset, act(async () => {
      const token = await write('PUT', path('accounts', account.email, 'reset'));
      await choose(texts.users.reset, element('div', {}, element('p', {}, texts.users.resetText), element('pre', { tabIndex: 0 }, stringify(token, 2))), {});
    })),
    account.user ? button(account.disabled ? texts.users.enable : texts.users.disable,
      act(() => send('PUT', path('users', account.user, account.disabled ? 'enable' : 'disable'))), { class: account.disabled ? '' : 'dangerous' }) : undefined,
    account.user ? button(texts.users.roles, act(() => roles(account.user))) : undefined,
    account.user ? button(texts.users.sessions, act(() => sessions(account.user))) : undefined,
  ];
}

/** Shows the sessions of a user, and ends them. */
async function sessions(user) {
  const list = element('div', {});
  const show = async () => {
    const all = await read(path('users', user, 'sessions'));
    list.replaceChildren(all.length === 0 ? note(texts.users.noSessions) : table(texts.users.sessions, texts.users.sessionHeads, all.map((one) => [
      element('code', {}, one.device), dateText(one.created), dateText(one.used), one.key ? element('code', {}, one.key) : '',
      button(texts.users.end, announce.attempt(async () => {
        await send('DELETE', path('users', user, 'sessions', one.id));
        await show();
      }), { class: 'dangerous' }),
    ])));
  };
  await show();
  await choose(texts.users.sessions, list, {});
}

/** Shows and changes the roles of a user. */
async function roles(user) {
  const [given, defined] = await Promise.all([read(path('users', user, 'roles')), read(path('roles'))]);
  const names = [...new Set([...Object.keys(defined), ...given])];
  const boxes = names.map((name) => element('input', { type: 'checkbox', value: name, checked: given.includes(name) }));
  const content = element('div', {}, element('p', {}, texts.users.rolesText(user)), names.length === 0 ? note(texts.users.noRoles) : boxes.map((box) => field(box.value, box)));
  if (await choose(texts.users.roles, content, { save: { text: texts.edit.save } }) !== 'save') return;
  await write('PUT', path('users', user, 'roles'), boxes.filter((box) => box.checked).map((box) => box.value));
  announce.say(texts.users.rolesSaved);
}
