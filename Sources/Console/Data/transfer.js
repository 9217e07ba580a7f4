// Import and export of the objects of a class.
import { path, query, send } from '../Base/api.js';
import { button, download, element, field, options, submit, table } from '../Base/dom.js';
import { refusal } from '../Base/problem.js';
import { parse } from '../Base/json.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { heading } from './value.js';

const formats = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' };

export async function view(place, { segments: [name], parameters: { filter = '', sort = '' }, curl }) {
  const target = path('collections', name) + query({ filter, sort });
  curl({ target, accept: formats.ndjson });

  const exports = ['ndjson', 'csv'].map((format) => button(format.toUpperCase(), announce.attempt(async () => {
    const response = await send('GET', target, { headers: { accept: formats[format] } });
    download(`${name}.${format}`, await response.blob());
    announce.say(texts.transfer.exported);
  })));

  const file = element('input', { type: 'file', accept: '.ndjson,.jsonl,.csv,.json', required: true, name: 'file' });
  const mode = element('select', { name: 'mode' }, options(Object.entries(texts.transfer.modes)));
  const outcome = element('div', { role: 'status' });
  const form = element('form', { class: 'card', on: { submit: async (event) => {
    event.preventDefault();
    const [chosen] = file.files;
    const ending = chosen.name.split('.').pop().toLowerCase();
    outcome.replaceChildren(texts.transfer.running);
    const begun = performance.now();
    try {
      const response = await send('POST', path('collections', name) + query({ mode: mode.value }), {
        headers: { 'content-type': formats[ending === 'jsonl' ? 'ndjson' : ending] ?? formats.ndjson, accept: 'application/json' }, content: chosen,
      });
      const { count = 1 } = parse(await response.text());
      outcome.replaceChildren(element('p', {}, texts.transfer.imported(count, (performance.now() - begun) / 1000)));
    } catch (error) {
      outcome.replaceChildren(refusal(error),
        error.errors?.length ? table(texts.transfer.faults, texts.transfer.faultHeads, error.errors.map((fault) =>
          [String(fault.line ?? ''), fault.pointer ?? fault.property ?? '', fault.detail ?? ''])) : '');
    }
  } } }, element('h2', {}, texts.transfer.import), field(texts.transfer.file, file), field(texts.transfer.mode, mode),
  submit(texts.transfer.start), outcome);

  place.append(heading(name, texts.data.transfer),
    element('section', { class: 'card' }, element('h2', {}, texts.transfer.export),
      element('p', {}, filter ? texts.transfer.filtered(filter) : texts.transfer.all), element('p', { class: 'actions' }, exports)), form);
}
