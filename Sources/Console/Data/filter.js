// The line for a query in RQL: completes names of properties and words of the language, and underlines what is wrong at the
// offset that the server tells.
import { path, query, read } from '../Base/api.js';
import { debounce, element } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';
import { texts } from '../Page/texts.js';

const words = [
  'AND', 'OR', 'NOT', 'BEGINSWITH', 'ENDSWITH', 'CONTAINS', 'LIKE', 'TEXT', 'IN', 'BETWEEN', 'ANY', 'ALL', 'NONE', 'SUBQUERY',
  'TRUEPREDICATE', 'FALSEPREDICATE', 'SORT', 'DISTINCT', 'LIMIT', 'true', 'false', 'nil', 'geoWithin', 'geoCircle', 'geoBox',
];
const functions = ['@count', '@size', '@min', '@max', '@sum', '@avg', '@links', '@type', '@keys', '@values'];

export class FilterLine {
  #options = [];
  #chosen = -1;

  /** `apply` gets the filter that is entered, `explained` the plan of each one that is understood. */
  constructor(schema, type, text, { sort, apply, explained }) {
    Object.assign(this, { schema, type, sort, apply, explained });
    this.input = element('input', {
      type: 'text', value: text, spellcheck: false, autocomplete: 'off', role: 'combobox', 'aria-expanded': 'false', name: 'filter',
      'aria-controls': 'completions', 'aria-autocomplete': 'list', 'aria-label': texts.filter.label, placeholder: texts.filter.placeholder,
      on: {
        input: () => { this.#complete(); this.check(); }, keydown: (event) => this.#key(event),
        scroll: () => this.#follow(), blur: () => setTimeout(() => this.#close(), 150),
      },
    });
    this.marks = element('div', { class: 'marks', 'aria-hidden': 'true' });
    this.list = element('ul', { id: 'completions', role: 'listbox', hidden: true, 'aria-label': texts.filter.completions });
    this.problem = element('p', { class: 'problem', id: 'filter-problem', role: 'status' });
    this.element = element('div', { class: 'filter' }, element('div', { class: 'line' }, this.marks, this.input, this.list), this.problem);
    this.check = debounce(() => this.explain(), 250);
  }

  /** Asks the server what it would do. */
  async explain() {
    const text = this.input.value;
    try {
      const plan = await read(path('collections', this.type.name) + query({ filter: text, sort: this.sort, explain: true }));
      if (text !== this.input.value) return;
      this.#mark(undefined);
      this.problem.textContent = '';
      this.explained(plan);
    } catch (error) {
      if (text !== this.input.value) return;
      this.#mark(error.offset);
      this.problem.textContent = sentence(error);
    }
  }

  /** Underlines from an offset in bytes on. */
  #mark(offset) {
    const text = this.input.value;
    this.input.setAttribute('aria-invalid', String(offset !== undefined));
    if (offset === undefined) return this.marks.replaceChildren();
    const start = Math.min(characters(text, offset), text.length);
    const length = /^(\w+|"[^"]*"?|'[^']*'?|\s*\S?)/.exec(text.slice(start))?.[0].length ?? 1;
    this.marks.replaceChildren(text.slice(0, start), element('mark', {}, text.slice(start, start + length) || ' '), text.slice(start + length));
    this.#follow();
  }

  #follow() {
    this.marks.scrollLeft = this.input.scrollLeft;
  }

  /** Options for the name before the caret, which may be a path through links. */
  #complete() {
    const before = this.input.value.slice(0, this.input.selectionStart);
    // Inside a text there are no names.
    const isInside = (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1 || (before.match(/(?<!\\)'/g) ?? []).length % 2 === 1;
    const name = isInside ? '' : /[\p{L}\w@.]+$/u.exec(before)?.[0] ?? '';
    const steps = name.split('.');
    const start = steps.pop();
    const type = steps.reduce((from, step) => this.schema.type(from?.property(step)?.target), this.type);
    const names = [...type?.properties.map((property) => ({ text: property.name, note: property.notation })) ?? [],
      ...start.startsWith('@') ? functions.map((text) => ({ text, note: '' })) : [],
      ...steps.length === 0 ? words.map((text) => ({ text, note: '' })) : []];
    this.#options = name === '' ? [] : names.filter(({ text }) => text.toLowerCase().startsWith(start.toLowerCase()) && text !== start).slice(0, 12);
    this.#start = start;
    this.#chosen = this.#options.length > 0 ? 0 : -1;
    this.#show();
  }

  #start = '';

  #show() {
    this.list.hidden = this.#options.length === 0;
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    this.list.replaceChildren(...this.#options.map(({ text, note }, index) => element('li', {
      id: `completion-${index}`, role: 'option', 'aria-selected': String(index === this.#chosen),
      on: { mousedown: (event) => { event.preventDefault(); this.#take(index); } },
    }, text, element('span', {}, note))));
    if (this.#chosen >= 0) this.input.setAttribute('aria-activedescendant', `completion-${this.#chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  #close() {
    this.#options = [];
    this.#chosen = -1;
    this.#show();
  }

  #take(index) {
    const caret = this.input.selectionStart;
    this.input.setRangeText(this.#options[index].text, caret - this.#start.length, caret, 'end');
    this.#close();
    this.check();
  }

  #key(event) {
    const count = this.#options.length;
    if (count > 0 && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
      this.#chosen = (this.#chosen + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      this.#show();
    } else if (count > 0 && event.key === 'Tab') this.#take(this.#chosen);
    else if (event.key === 'Escape' && count > 0) this.#close();
    else if (event.key === 'Enter') this.apply(this.input.value.trim());
    else return;
    event.preventDefault();
  }
}

/** The number of code units in the first bytes of a text. */
function characters(text, bytes) {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytes)).length;
}
