// How a query is answered, as the server explains it.
import { element } from '../Base/dom.js';
import { texts } from '../Page/texts.js';

export function explanation(plan) {
  const list = (items) => (items?.length ? element('ul', {}, items.map((item) => element('li', {}, item))) : texts.explain.none);
  return element('dl', { class: 'explanation' }, [
    [texts.explain.filter, element('code', {}, plan.filter)],
    [texts.explain.indexes, list(plan.indexes)],
    [texts.explain.inMemory, list(plan.inMemory)],
    [texts.explain.rows, texts.explain.rowsOf(plan.estimatedRows, plan.objects)],
    [texts.explain.steps, list(plan.steps)],
    [texts.explain.sql, element('code', {}, plan.sql)],
    ...plan.hints?.length ? [[texts.explain.hints, list(plan.hints)]] : [],
  ].flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}
