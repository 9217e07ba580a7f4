// Short messages: shown for a while, and read out by screen readers.
import { element } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';

const region = element('div', { class: 'messages', role: 'status', 'aria-live': 'polite' });

function say(text, kind = '') {
  const message = element('p', { class: kind }, text);
  region.append(message);
  setTimeout(() => message.remove(), 8000);
}

const fail = (error) => say(sentence(error), 'problem');

export const announce = {
  region, say, fail,
  /** A listener that tells what its work was refused for. */
  attempt: (work) => (...values) => work(...values).catch(fail),
};
