// Functions, called with arguments.
import { path, read, send } from '../Base/api.js';
import { element, field, note, submit } from '../Base/dom.js';
import { parse, stringify } from '../Base/json.js';
import { sentence } from '../Base/problem.js';
import { texts } from '../Page/texts.js';

export async function view(place, { curl, gateway }) {
  const functions = await read(path('functions'));
  curl({ target: path('functions') });
  place.append(element('h1', {}, texts.places.functions),
    functions.length === 0 ? note(texts.functions.none) : element('div', { class: 'cards' }, functions.map((one) => card(one, curl, gateway.isAdministrator))));
}

function card(one, curl, isAdministrator) {
  const input = element('textarea', { name: 'arguments', value: '[]', rows: 3, spellcheck: false });
  const outcome = element('output', {});
  const said = element('pre', { class: 'console', tabIndex: 0, hidden: true, 'aria-label': texts.functions.console });
  const limits = Object.entries(one.limits ?? {}).map(([name, value]) => `${texts.functions.limits[name] ?? name} ${value}`).join(', ');
  const marks = [one.runtime, one.private ? texts.functions.private : '', one.disabled ? texts.functions.disabled : '', limits].filter(Boolean);
  return element('form', { class: 'card function', 'data-name': one.name, on: { submit: async (event) => {
    event.preventDefault();
    const target = path('functions', one.name);
    outcome.className = '';
    said.hidden = true;
    outcome.replaceChildren(texts.functions.running);
    const begun = performance.now();
    const duration = () => element('small', {}, texts.functions.duration(performance.now() - begun));
    try {
      const content = stringify(parse(input.value));
      curl({ method: 'POST', target, type: 'application/json', content });
      const response = await send('POST', target, { content, headers: { 'content-type': 'application/json', accept: 'application/json' } });
      const text = await response.text();
      outcome.replaceChildren(duration(), element('pre', { tabIndex: 0 }, stringify(parse(text), 2)));
    } catch (error) {
      outcome.className = 'problem';
      outcome.replaceChildren(duration(), element('p', {}, sentence(error)));
    }
    if (isAdministrator) await showConsole(one.name, said);
  } } },
  element('h2', {}, `${one.name}(${(one.parameters ?? []).join(', ')})`), element('p', { class: 'notes' }, marks.join(' · ')),
  field(texts.functions.arguments, input), submit(texts.functions.call, { disabled: one.disabled }), outcome, said);
}

/** Shows what the latest call said on its console, and the stack of its error. */
async function showConsole(name, said) {
  const [call] = await read(path('functions', name, 'calls'));
  if (!call) return;
  said.textContent = [...call.console.map((line) => `${line.level}: ${line.text}`), call.stack].filter(Boolean).join('\n');
  said.hidden = said.textContent === '';
}
