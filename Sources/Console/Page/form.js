// Forms with a button, below which stands what came of it.
import { element, submit } from '../Base/dom.js';
import { refusal } from '../Base/problem.js';
import { texts } from './texts.js';

/** A form that works when it is submitted, and shows the elements that come of it, or why it was refused. */
export function workForm(title, controls, text, work) {
  const outcome = element('div', { role: 'status' });
  const run = async (event) => {
    event.preventDefault();
    try {
      outcome.replaceChildren(...await work() ?? []);
    } catch (error) {
      outcome.replaceChildren(refusal(error));
    }
  };
  return element('form', { class: 'card', on: { submit: run } }, element('h2', {}, title), controls, submit(text), outcome);
}

/** A key that was made, which is shown only now. */
export const secret = (key) => [element('p', {}, texts.keys.shownOnce), element('pre', { class: 'secret', tabIndex: 0 }, key)];
