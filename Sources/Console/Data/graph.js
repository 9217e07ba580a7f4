// The schema as a graph: classes as boxes, links as arrows, embedded classes dashed.
import { svg } from '../Base/dom.js';
import { to } from '../Base/route.js';
import { texts } from '../Page/texts.js';

const width = 210, line = 16, gapX = 90, gapY = 30, most = 10;

export function graph(schema) {
  const types = [...schema.types.values()];
  const boxes = placed(types, schema);
  const arrows = types.flatMap((type) => type.properties
    .filter((property) => property.target && property.kind !== 'linkingObjects' && boxes.has(property.target))
    .map((property, index) => arrow(boxes.get(type.name), boxes.get(property.target), property, index)));
  const right = Math.max(0, ...[...boxes.values()].map((box) => box.x + width));
  const bottom = Math.max(0, ...[...boxes.values()].map((box) => box.y + box.height));
  return svg('svg', { class: 'graph', viewBox: `-10 -10 ${right + 70} ${bottom + 30}`, width: right + 70, role: 'group', 'aria-label': texts.data.graphLabel },
    svg('defs', {}, svg('marker', { id: 'tip', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      svg('path', { d: 'M0 0L8 4L0 8z', class: 'tip' }))),
    arrows, [...boxes.values()].map(drawn));
}

/** Columns by the number of links that lead to a class: those that lead on stand left, those that are led to right. */
function placed(types, schema) {
  const depth = new Map(types.map((type) => [type.name, 0]));
  // Each pass moves targets behind their sources; circles are cut by the number of passes.
  for (let pass = 0; pass < Math.min(4, types.length); pass++) {
    for (const type of types) {
      for (const property of type.properties) {
        if (!property.target || property.kind === 'linkingObjects' || property.target === type.name) continue;
        if (schema.types.has(property.target) && depth.get(property.target) <= depth.get(type.name)) depth.set(property.target, Math.min(4, depth.get(type.name) + 1));
      }
    }
  }
  const columns = new Map();
  const boxes = new Map();
  const order = [...new Set(depth.values())].sort((left, right) => left - right);
  for (const type of types) {
    const column = order.indexOf(depth.get(type.name));
    const y = columns.get(column) ?? 0;
    const height = line * (Math.min(type.properties.length, most) + (type.properties.length > most ? 1 : 0)) + 34;
    boxes.set(type.name, { type, x: column * (width + gapX), y, height });
    columns.set(column, y + height + gapY);
  }
  return boxes;
}

function drawn({ type, x, y, height }) {
  const shown = type.properties.slice(0, most);
  const title = svg('text', { x: 10, y: 18, class: 'title' }, type.name);
  const content = [
    svg('rect', { width, height, rx: 5, class: type.isEmbedded ? 'box embedded' : 'box' }), title,
    ...shown.map((property, index) => svg('text', { x: 10, y: 38 + index * line },
      property.name === type.primaryKey ? svg('tspan', { class: 'key' }, `${property.name}`) : property.name,
      svg('tspan', { class: 'type' }, ` ${property.notation}`))),
    ...type.properties.length > most ? [svg('text', { x: 10, y: 38 + most * line, class: 'type' }, texts.data.more(type.properties.length - most))] : [],
  ];
  const place = { transform: `translate(${x} ${y})` };
  return type.isEmbedded ? svg('g', place, content) : svg('a', { ...place, href: to('class', [type.name]), 'aria-label': type.name }, content);
}

function arrow(from, to, property, index) {
  const isList = property.kind !== 'value';
  const name = `${from.type.name}.${property.name} → ${to.type.name}`;
  const startY = from.y + 34 + Math.min(from.type.properties.indexOf(property), most) * line;
  const endY = to.y + 14 + index % 3 * 5;
  const isForward = to.x > from.x;
  const startX = from.x + width;
  const endX = isForward ? to.x : to.x + width;
  const bend = isForward ? (endX - startX) / 2 : 40;
  const curve = `M${startX} ${startY}C${startX + bend} ${startY} ${isForward ? endX - bend : endX + bend} ${endY} ${endX} ${endY}`;
  return svg('path', { d: curve, class: `arrow${property.isEmbedded ? ' embedded' : ''}${isList ? ' many' : ''}`, 'marker-end': 'url(#tip)' },
    svg('title', {}, name));
}
