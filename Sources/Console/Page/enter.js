// Entering with an API key, or as a user.
import { logIn } from '../Base/api.js';
import { button, element, field } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';
import { enter } from '../Base/session.js';
import { texts } from './texts.js';

export function enterView(main, { error, entered }) {
  const problem = element('p', { class: 'problem', role: 'alert' }, error ? sentence(error) : '');
  const keep = element('input', { type: 'checkbox' });
  const key = element('input', { type: 'password', autocomplete: 'off', required: true, spellcheck: false, name: 'key' });
  const email = element('input', { type: 'text', autocomplete: 'username', required: true, name: 'email' });
  const password = element('input', { type: 'password', autocomplete: 'current-password', required: true, name: 'password' });

  const attempt = async (values) => {
    problem.textContent = '';
    try {
      enter(await values(), keep.checked);
      await entered();
    } catch (refusal) {
      problem.textContent = sentence(refusal);
    }
  };

  main.replaceChildren(element('div', { class: 'view enter' },
    element('h1', {}, texts.enter.title), problem,
    form(texts.enter.key, [field(texts.enter.keyLabel, key, texts.enter.keyHint)], () =>
      attempt(async () => ({ kind: 'key', token: key.value.trim(), name: texts.enter.keyName(key.value) }))),
    form(texts.enter.user, [field(texts.enter.email, email), field(texts.enter.password, password)], () =>
      attempt(async () => ({ ...await logIn('local-userpass', { username: email.value, password: password.value }), name: email.value }))),
    element('p', {}, field(texts.enter.keep, keep)),
    element('p', {}, button(texts.enter.anonymous, () =>
      attempt(async () => ({ ...await logIn('anon-user', {}), name: texts.enter.anonymousName }))))));
  key.focus();
}

function form(title, fields, submit) {
  return element('form', { class: 'card', on: { submit: (event) => { event.preventDefault(); submit(); } } },
    element('h2', {}, title), fields, element('button', { type: 'submit' }, texts.enter.submit));
}
