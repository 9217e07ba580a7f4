// The audit trail, filtered by activity, event and time, the newest first.
import { path, query, readWhole } from '../Base/api.js';
import { button, element, field, note, table } from '../Base/dom.js';
import { parse, stringify } from '../Base/json.js';
import { refusal } from '../Base/problem.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

const page = 50;

export async function auditView(place, { gateway, curl }) {
  const input = (name, type) => element('input', { name, type, on: { change: () => show() } });
  const [activity, event, text, from, until] = [input('activity', 'text'), input('event', 'text'), input('text', 'text'), input('from', 'datetime-local'), input('until', 'datetime-local')];
  const list = element('div', {});
  place.append(element('h1', {}, texts.places.audit), element('div', { class: 'bar' },
    field(texts.audit.activity, activity), field(texts.audit.event, event), field(texts.audit.text, text), field(texts.audit.from, from), field(texts.audit.until, until)), list);
  if (!gateway.schema.type('AuditEvent')) {
    list.append(note(texts.audit.none));
    return undefined;
  }

  const show = async (target) => {
    const conditions = [];
    const args = [];
    const add = (value, condition) => {
      if (value === '') return;
      args.push(value);
      conditions.push(condition.replace('?', `$${args.length - 1}`));
    };
    add(activity.value, 'activity CONTAINS[c] ?');
    add(event.value, 'event CONTAINS[c] ?');
    add(text.value, 'data CONTAINS[c] ?');
    add(from.value && { $date: new Date(from.value).toISOString() }, 'timestamp >= ?');
    add(until.value && { $date: new Date(until.value).toISOString() }, 'timestamp < ?');
    const address = target ?? path('collections', 'AuditEvent') + query({ filter: conditions.join(' AND '), args: args.length ? stringify(args) : '', sort: '-timestamp', limit: page });
    curl({ target: address });
    try {
      const { value: events, next } = await readWhole(address);
      list.replaceChildren(table(texts.places.audit, texts.audit.heads, events.map((one) => [
        dateText(one.timestamp), one.activity, one.event ?? '', one.caller ?? one.metadata?.caller ?? '', details(one.data)])),
      next ? button(texts.users.next, () => show(next)) : '');
    } catch (error) {
      list.replaceChildren(refusal(error));
    }
  };
  await show();
  return gateway.live.watch(`collections/AuditEvent${query({ fields: '_id' })}`, (kind) => { if (kind === 'insert') show(); });
}

function details(data) {
  if (!data) return '';
  let text = data;
  try {
    text = stringify(parse(data), 2);
  } catch {
    // It is no JSON: an event of a client's own.
  }
  return element('details', {}, element('summary', {}, `${data.slice(0, 80)}${data.length > 80 ? '…' : ''}`), element('pre', { tabIndex: 0 }, text));
}
