// Charts in SVG: lines over time, bars, histograms.
import { element, svg } from '../Base/dom.js';
import { numberText } from '../Data/value.js';

const width = 480, height = 200, left = 52, bottom = 24, top = 8;

/** Round steps that divide a range in about four. */
function ticks(most) {
  const rough = most / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** A number of three digits. */
export const short = (value) => (Math.abs(value) >= 1000 ? Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 }).format(value) : String(Number(value.toPrecision(3))));

function frame(label, most, content) {
  const y = (value) => top + (height - top - bottom) * (1 - value / most);
  return svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    ticks(most).flatMap((tick) => [
      svg('line', { class: 'grid-line', x1: left, x2: width, y1: y(tick), y2: y(tick) }),
      svg('text', { x: left - 5, y: y(tick) + 4, 'text-anchor': 'end' }, short(tick)),
    ]), content(y));
}

/** `lines` have a name and points of time and value. */
export function lineChart(label, lines) {
  const times = lines.flatMap(({ points }) => points.map(([time]) => time));
  const [first, end] = [Math.min(...times), Math.max(...times)];
  const most = (Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value))) || 1) * 1.1;
  const x = (time) => left + (width - left - 6) * (end === first ? 1 : (time - first) / (end - first));
  const clock = (time) => new Date(time).toLocaleTimeString();
  const chart = frame(label, times.length === 0 ? 1 : most, (y) => [
    ...lines.map(({ points }, index) => svg('polyline', { class: `line color-${index}`, points: points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ') })),
    ...times.length === 0 ? [] : [svg('text', { x: left, y: height - 6 }, clock(first)), svg('text', { x: width, y: height - 6, 'text-anchor': 'end' }, clock(end))],
  ]);
  return element('div', {}, chart, element('ul', { class: 'legend' }, lines.map(({ name, points }, index) => element('li', { class: `color-${index}` },
    name, ' ', element('b', {}, points.length === 0 ? '' : short(points.at(-1)[1]))))));
}

/** Bars that lie, with their names beside them. */
export function barChart(label, bars) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const line = 22, room = 150;
  return svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${bars.length * line + 4}`, role: 'img', 'aria-label': label }, bars.flatMap(({ name, value }, index) => {
    const length = (width - room - 70) * value / most;
    return [
      svg('text', { x: room - 6, y: index * line + 15, 'text-anchor': 'end' }, name.length > 22 ? `${name.slice(0, 21)}…` : name),
      svg('rect', { class: 'fill color-0', x: room, y: index * line + 3, width: Math.max(1, length), height: line - 6 }, svg('title', {}, `${name}: ${value}`)),
      svg('text', { x: room + length + 5, y: index * line + 15 }, numberText(value)),
    ];
  }));
}

/** Counts of values in ranges: `{ from, to, count }`. */
export function histogram(label, bins, format) {
  const most = Math.max(1, ...bins.map(({ count }) => count)) * 1.05;
  const step = (width - left - 6) / Math.max(1, bins.length);
  return frame(label, most, (y) => bins.flatMap(({ from, to, count }, index) => [
    svg('rect', { class: 'fill color-0', x: left + index * step, y: y(count), width: Math.max(1, step - 1), height: y(0) - y(count) }, svg('title', {}, `${format(from)} – ${format(to)}: ${count}`)),
    ...index % Math.ceil(bins.length / 5) === 0 ? [svg('text', { x: left + index * step, y: height - 6 }, format(from))] : [],
  ]));
}
