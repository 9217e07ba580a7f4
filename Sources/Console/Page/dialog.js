// A dialog of the browser's own, which keeps the focus inside and closes by Escape.
import { button, element } from '../Base/dom.js';
import { texts } from './texts.js';

/** Shows content with one button for each action, and answers the name of that which was chosen; undefined: none. */
export function choose(title, content, actions) {
  return new Promise((resolve) => {
    let choice;
    const close = (value) => { choice = value; dialog.close(); };
    const dialog = element('dialog', { 'aria-label': title, on: { close: () => { dialog.remove(); resolve(choice); } } },
      element('h2', {}, title), content,
      element('div', { class: 'actions' },
        Object.entries(actions).map(([name, { text, isDangerous }]) =>
          button(text, () => close(name), { class: isDangerous ? 'dangerous' : 'primary' })),
        button(texts.dialog.cancel, () => close(undefined))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export const confirm = async (title, content, text, isDangerous = true) =>
  await choose(title, content, { yes: { text, isDangerous } }) === 'yes';
