// The server itself: work on its store, its settings, the queries that took long.
import { path, read, write } from '../Base/api.js';
import { button, element, field, note, repeat, table } from '../Base/dom.js';
import { announce } from '../Page/announce.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

const every = 1000;

export async function view(place, { curl }) {
  curl({ target: path('tasks') });
  const work = element('div', {});
  const slow = element('div', {});
  const settings = element('div', {});
  const filter = element('input', { type: 'search', name: 'setting', on: { input: () => showSettings() } });
  const ours = element('input', { type: 'checkbox', name: 'changed', on: { change: () => showSettings() } });
  place.append(element('h1', {}, texts.places.server), work, element('h2', {}, texts.server.slow), slow,
    element('h2', {}, texts.server.settings), element('div', { class: 'bar' }, field(texts.server.filter, filter), field(texts.server.changed, ours)), settings);

  const begin = (name) => announce.attempt(async () => {
    await write('POST', path('tasks', name), {});
    await showWork();
  });
  const row = (task) => [
    texts.server.tasks[task.name] ?? task.name, texts.server.states[task.state],
    task.state === 'running' ? element('progress', { value: task.progress, 'aria-label': task.name }) : '',
    task.seconds === undefined ? '' : texts.server.seconds(task.seconds), task.started ? dateText(task.started) : '',
    task.error ?? (task.state === 'done' ? task.findings.join('\n') || texts.server.fine : ''),
    button(texts.server.begin, begin(task.name), { disabled: task.state === 'running' }),
  ];
  let shown = '';
  async function showWork() {
    const tasks = await read(path('tasks'));
    // A table without changes stays, with the focus in it.
    if (shown === JSON.stringify(tasks)) return;
    shown = JSON.stringify(tasks);
    work.replaceChildren(table(texts.server.work, texts.server.workHeads, tasks.map(row)));
  }
  async function showSlow() {
    const queries = await read(path('slow-queries'));
    slow.replaceChildren(queries.length === 0 ? note(texts.server.noneSlow) : table(texts.server.slow, texts.server.slowHeads, queries.map((one) => [
      dateText(one.ended), one.class, one.milliseconds.toFixed(0), one.steps.join('\n'),
      element('details', {}, element('summary', {}, texts.explain.sql), element('pre', { tabIndex: 0 }, one.statement))])));
  }
  const all = await read(path('settings'));
  function showSettings() {
    const wanted = all.filter((one) => `${one.name} ${one.help}`.toLowerCase().includes(filter.value.toLowerCase()) && (!ours.checked || one.source !== 'default'));
    settings.replaceChildren(table(texts.server.settings, texts.server.settingHeads, wanted.map((one) => [
      element('code', { title: one.help }, one.name), one.value ?? texts.server.secret, one.default, texts.server.sources[one.source], one.live ? texts.server.live : ''])));
  }
  showSettings();
  await Promise.all([showWork(), showSlow()]);
  return repeat(announce.attempt(showWork), every);
}
