// A new object, in a form that is made from the schema.
import { path, write } from '../Base/api.js';
import { element, field, submit } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';
import { go } from '../Base/route.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { segment } from './documents.js';
import { editor } from './editors.js';
import { heading } from './value.js';

export async function view(place, { segments: [name], gateway }) {
  const type = gateway.schema.type(name);
  if (!type) throw new Error(texts.data.noClass(name));
  const problem = element('div', { class: 'problem', role: 'alert' });
  const controls = type.stored.filter((property) => !property.options.onUpdate).map((property) => {
    const start = property.options.default;
    const isGenerated = ['now', 'objectId', 'uuid', 'autoincrement'].includes(start) || (property.name === type.primaryKey && ['objectId', 'uuid'].includes(property.type));
    const given = start !== undefined && !isGenerated ? start : undefined;
    const control = editor(gateway.schema, property, given);
    const fault = element('span', { class: 'problem' });
    const begun = snapshot(control);
    // A control that is left as it was is not sent, so that defaults are the server's.
    return { property, control, fault, isTouched: () => given !== undefined || snapshot(control) !== begun || (!property.isOptional && !isGenerated && property.kind === 'value' && property.type === 'string' && start === undefined) };
  });

  const form = element('form', { class: 'card', on: { submit: async (event) => {
    event.preventDefault();
    problem.replaceChildren();
    for (const { fault } of controls) fault.textContent = '';
    try {
      const object = {};
      for (const { property, control, fault, isTouched } of controls) {
        try {
          if (isTouched()) object[property.name] = control.value();
        } catch (error) {
          fault.textContent = error.message;
          throw error;
        }
      }
      const made = await write('POST', path('collections', name), object);
      announce.say(texts.create.done);
      if (made && made[type.key] !== undefined) go('object', [name, segment(type, made[type.key])]);
      else go('class', [name]);
    } catch (error) {
      problem.replaceChildren(sentence(error));
      for (const { pointer = '', detail } of error.errors ?? []) {
        const found = controls.find(({ property }) => pointer.split('/').includes(property.name.replaceAll('~', '~0').replaceAll('/', '~1')));
        if (found) found.fault.textContent = detail;
      }
    }
  } } }, controls.map(({ property, control, fault }) => element('div', { class: 'stack' },
    field(`${property.name}${property.isOptional || property.kind !== 'value' ? '' : ' *'}`, control.element, property.notation), fault)),
  problem, submit(texts.create.submit));
  place.append(heading(name, texts.data.create), form);
}

function snapshot(control) {
  const inputs = control.element.matches('input, textarea, select') ? [control.element] : [...control.element.querySelectorAll('input, textarea, select')];
  return inputs.map((input) => (input.type === 'checkbox' ? input.checked : input.value)).join('\n');
}
