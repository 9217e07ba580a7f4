// Roles as their document, with a try-out: as this user, which objects, and this one?
import { count, path, read, write } from '../Base/api.js';
import { element, field, options, submit } from '../Base/dom.js';
import { parse, stringify } from '../Base/json.js';
import { sentence } from '../Base/problem.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { condition } from '../Data/object.js';

export async function view(place, { gateway, curl }) {
  curl({ target: path('roles') });
  const roles = await read(path('roles'));
  const text = element('textarea', { name: 'roles', class: 'code', rows: 18, spellcheck: false, value: stringify(roles, 2) });
  const problem = element('div', { class: 'problem', role: 'alert' });
  const form = element('form', { on: { submit: async (event) => {
    event.preventDefault();
    problem.replaceChildren();
    try {
      await write('PUT', path('roles'), parse(text.value));
      announce.say(texts.roles.saved);
    } catch (error) {
      problem.replaceChildren(element('p', {}, sentence(error)), element('ul', {}, (error.errors ?? []).map((one) => element('li', {}, `${one.pointer ?? ''} ${one.detail}`))));
    }
  } } }, field(texts.roles.document, text, texts.roles.hint), problem, submit(texts.roles.save));
  place.append(element('h1', {}, texts.places.roles), form, tryOut(gateway, text));
}

/** Evaluates the rules that are being edited, with a user's values in place of their names, by the administrator's own reads. */
function tryOut(gateway, text) {
  const input = (name, hint) => element('input', { type: 'text', name, placeholder: hint ?? '', spellcheck: false });
  const [role, user, userRoles, object] = [input('role', 'user'), input('user'), input('roles', 'editor, reader'), input('object')];
  const ofClass = element('select', { name: 'class' }, options(gateway.schema.collections));
  const outcome = element('dl', { class: 'explanation', role: 'status' });
  const run = async (event) => {
    event.preventDefault();
    outcome.replaceChildren();
    try {
      const classes = parse(text.value)[role.value.trim() || 'user']?.classes ?? {};
      const rights = classes[ofClass.value] ?? classes['*'] ?? {};
      const type = gateway.schema.type(ofClass.value);
      const values = { id: user.value.trim(), roles: userRoles.value.split(',').map((one) => one.trim()).filter(Boolean) };
      for (const kind of ['read', 'write']) {
        outcome.append(element('dt', {}, texts.roles[kind]), element('dd', {}, await answer(type, rights[kind] ?? false, values, object.value.trim())));
      }
      const hidden = Object.entries(rights.fields ?? {}).map(([name, one]) => `${name} ${stringify(one)}`).join(', ');
      if (hidden) outcome.append(element('dt', {}, texts.roles.fields), element('dd', {}, hidden));
    } catch (error) {
      outcome.append(element('dd', { class: 'problem' }, sentence(error)));
    }
  };
  return element('form', { class: 'card tryout', on: { submit: run } }, element('h2', {}, texts.roles.tryOut), element('p', {}, texts.roles.tryOutText),
    field(texts.roles.role, role), field(texts.roles.user, user), field(texts.roles.userRoles, userRoles), field(texts.roles.class, ofClass),
    field(texts.roles.object, object), submit(texts.roles.try), outcome);
}

async function answer(type, rule, values, key) {
  if (rule === false) return texts.roles.nothing;
  const { filter, args } = bound(rule === true ? 'TRUEPREDICATE' : rule, values);
  const matching = (text) => count(type.name, { filter: text, args: stringify(args) });
  const sum = texts.roles.objects(await matching(filter));
  if (key === '') return sum;
  const isNumber = !type.primaryKey || type.property(type.key).type === 'int';
  const own = condition({ kind: 'value', name: '' }, type.key, isNumber ? parse(key) : key).slice(1);
  return `${sum} ${await matching(`(${filter}) AND ${own}`) > 0 ? texts.roles.matches(key) : texts.roles.doesNot(key)}`;
}

/** A rule whose names of the caller's are arguments. */
function bound(rule, values) {
  const args = [];
  const filter = rule.replace(/%%user\.id|%%user\.roles|%%now|%%user\.[\w.]+/g, (name) => {
    if (name === '%%user.id') args.push(values.id);
    else if (name === '%%user.roles') args.push(values.roles);
    else if (name === '%%now') args.push({ $date: new Date().toISOString() });
    else throw new Error(texts.roles.unknown(name));
    return `$${args.length - 1}`;
  });
  return { filter, args };
}
