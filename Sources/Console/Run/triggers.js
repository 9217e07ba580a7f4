// Triggers: where they are, what they failed for, and how they go on.
import { path, read, write } from '../Base/api.js';
import { button, element, note, repeat, table } from '../Base/dom.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

const every = 3000;

export async function view(place, { curl }) {
  curl({ target: path('triggers') });
  const list = element('div', {});
  place.append(element('h1', {}, texts.places.triggers), list);
  const goOn = (name, skip) => announce.attempt(async () => {
    await write('POST', path('triggers', name, 'resume'), skip ? { skip } : {});
    await show();
  });
  const row = (one) => [
    one.name, one.class ?? element('code', {}, one.schedule ?? ''), one.function ?? '', texts.triggers.states[one.state] ?? one.state,
    one.next ? dateText(one.next) : one.position === undefined ? '' : `${one.position}${one.lag ? ` (−${one.lag})` : ''}`, one.calls, one.failures,
    element('span', { class: 'actions' }, one.error ? element('span', { class: 'problem' }, one.error) : '',
      one.state === 'suspended' ? [button(texts.triggers.resume, goOn(one.name, false)), button(texts.triggers.skip, goOn(one.name, true))] : undefined),
  ];
  async function show() {
    const triggers = await read(path('triggers'));
    // A button that somebody is about to press stays.
    if (list.contains(document.activeElement) && document.activeElement.tagName === 'BUTTON') return;
    list.replaceChildren(triggers.length === 0 ? note(texts.triggers.none) : table(texts.places.triggers, texts.triggers.heads, triggers.map(row)));
  }
  await show();
  return repeat(announce.attempt(show), every);
}
