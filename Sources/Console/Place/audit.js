// The audit trail, filtered by activity, event and time, the newest first.
import { objects, path, query, readWhole } from '../Base/api.js';
import { button, element, field, note, table } from '../Base/dom.js';
import { parse, stringify } from '../Base/json.js';
import { refusal } from '../Base/problem.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

const page = 50;

export async function view(place, { gateway, curl }) {
  const input = (name, type) => element('input', { name, type, on: { change: () => show() } });
  const [activity, event, text, from, until] = [input('activity', 'text'), input('event', 'text'), input('text', 'text'), input('from', 'datetime-local'), input('until', 'datetime-local')];
  const list = element('div', {});
  place.append(element('h1', {}, texts.places.audit), element('div', { class: 'bar' },
    verification(), field(texts.audit.activity, activity), field(texts.audit.event, event), field(texts.audit.text, text), field(texts.audit.from, from), field(texts.audit.until, until)), list);
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

/** A button that follows the chain from the first event on, in the page itself (see the audit trail's documentation). */
function verification() {
  const outcome = element('output', {});
  const verify = async () => {
    if (!crypto.subtle) return outcome.replaceChildren(texts.audit.insecure);
    let previous = '0'.repeat(64);
    let count = 0;
    try {
      for await (const part of objects('AuditEvent', { sort: '_id' })) {
        for (const { chain, ...event } of part) {
          const names = Object.keys(event).filter((name) => event[name] !== null).sort();
          const text = `${previous}\n${stringify(Object.fromEntries(names.map((name) => [name, event[name]])))}`;
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
          const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
          // The first link follows from nothing here where the trail's beginning is in an archive.
          if (found !== chain && count > 0) return outcome.replaceChildren(texts.audit.broken(event._id));
          if (found !== chain) outcome.dataset.archived = 'true';
          previous = chain;
          count += 1;
        }
      }
      outcome.replaceChildren(texts.audit.verified(count, outcome.dataset.archived));
    } catch (error) {
      outcome.replaceChildren(refusal(error));
    }
  };
  return element('span', { class: 'actions' }, button(texts.audit.verify, verify), outcome);
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
