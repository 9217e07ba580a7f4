// The classes with their counts, and the schema as a graph.
import { path, read } from '../Base/api.js';
import { debounce, element, link, table } from '../Base/dom.js';
import { to } from '../Base/route.js';
import { texts } from '../Page/texts.js';
import { graph } from './graph.js';

export async function view(place, { gateway, curl }) {
  const counts = new Map();
  const list = element('div', {});
  let schema;

  const show = async () => {
    const before = new Map(counts);
    const [found] = await Promise.all([read(path('collections')), gateway.refreshSchema()]);
    for (const { class: name, count } of found) counts.set(name, count);
    ({ schema } = gateway);
    list.replaceChildren(table(texts.data.classes, texts.data.classHeads, [...schema.types.values()].filter((type) => !type.isEmbedded).map((type) => {
      const hasChanged = before.has(type.name) && before.get(type.name) !== counts.get(type.name);
      return [
        link(type.name, to('class', [type.name])),
        element('span', { class: hasChanged ? 'number flash' : 'number' }, (counts.get(type.name) ?? 0).toLocaleString()),
        type.primaryKey ?? '_key', type.properties.length.toString(),
      ];
    })));
  };

  curl({ target: path('collections') });
  await show();
  place.append(element('h1', {}, texts.places.data), list,
    element('h2', {}, texts.data.graph), graph(schema),
    element('details', {}, element('summary', {}, texts.data.notation),
      element('pre', { tabIndex: 0 }, JSON.stringify(schema.notation, null, 2))));
  const again = debounce(() => show().catch(() => {}), 300);
  return gateway.live.watch('collections', (event) => {
    if (['schema', 'insert', 'delete', 'resync'].includes(event)) again();
  });
}
