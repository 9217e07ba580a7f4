// How the values of a property are distributed: numbers as a histogram, dates over time, anything else by its most frequent values.
import { objects, path, query, read } from '../Base/api.js';
import { element, field, note, table } from '../Base/dom.js';
import { refusal } from '../Base/problem.js';
import { go } from '../Base/route.js';
import { texts } from '../Page/texts.js';
import { heading, summary } from '../Data/value.js';
import { barChart, histogram, lineChart, short } from './chart.js';

/** As many values are looked at. */
const most = 200_000;
const binCount = 30;

export async function view(place, { segments: [name], parameters: { filter = '', property: wanted, scale = 'linear' }, gateway, curl }) {
  const type = gateway.schema.type(name);
  const properties = type.stored.filter((property) => property.kind === 'value' && !property.isEmbedded && !['data', 'mixed'].includes(property.type));
  const chosen = properties.find((property) => property.name === wanted)
    ?? properties.find((property) => property.isNumber && property.name !== type.key) ?? properties[0];
  const again = (changes) => go('plot', [name], { filter, property: chosen?.name, scale, ...changes });
  const select = element('select', { name: 'property', on: { change: () => again({ property: select.value }) } },
    properties.map((property) => element('option', { selected: property === chosen }, property.name)));
  const log = element('input', { type: 'checkbox', name: 'log', checked: scale === 'log', on: { change: () => again({ scale: log.checked ? 'log' : '' }) } });
  const figure = element('figure', { class: 'card plot' }, texts.data.loading);
  place.append(heading(name, texts.data.plot, { filter }),
    element('div', { class: 'bar' }, field(texts.plot.property, select), field(texts.plot.log, log)),
    filter ? element('p', {}, texts.transfer.filtered(filter)) : '', figure);
  if (!chosen) return;
  try {
    const values = await valuesOf(name, filter, chosen.name);
    figure.replaceChildren(element('figcaption', {}, texts.plot.title(chosen.name, values.length)), plot(chosen, values, scale));
    if (chosen.isNumber) figure.append(await aggregates(name, filter, chosen, curl));
  } catch (error) {
    figure.replaceChildren(refusal(error));
  }
}

async function valuesOf(name, filter, property) {
  const values = [];
  for await (const part of objects(name, { filter, fields: property, limit: most })) for (const object of part) values.push(object[property]);
  return values;
}

function plot(property, values, scale) {
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length === 0) return note(texts.data.none);
  if (property.isNumber) return histogramOf(property.name, there.map(Number).filter(Number.isFinite), scale);
  if (property.type === 'date') return timeOf(property.name, there.map((value) => Date.parse(value)));
  const counts = new Map();
  for (const value of there) counts.set(value, (counts.get(value) ?? 0) + 1);
  const bars = [...counts].sort((first, second) => second[1] - first[1]).slice(0, 25);
  return barChart(property.name, bars.map(([value, count]) => ({ name: summary(value), value: count })));
}

function histogramOf(label, values, scale) {
  const isLog = scale === 'log' && values.some((value) => value > 0);
  const used = isLog ? values.filter((value) => value > 0) : values;
  const forth = isLog ? Math.log10 : (value) => value;
  const back = isLog ? (value) => 10 ** value : (value) => value;
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of used) {
    least = Math.min(least, forth(value));
    greatest = Math.max(greatest, forth(value));
  }
  const step = (greatest - least) / binCount || 1;
  const bins = Array.from({ length: binCount }, (_, index) => ({ from: back(least + index * step), to: back(least + (index + 1) * step), count: 0 }));
  for (const value of used) bins[Math.min(binCount - 1, Math.floor((forth(value) - least) / step))].count += 1;
  return histogram(label, bins, short);
}

/** How many values each of equal spans of time has. */
function timeOf(label, times) {
  const least = times.reduce((first, second) => Math.min(first, second));
  const span = (times.reduce((first, second) => Math.max(first, second)) - least) / 60 || 1;
  const counts = new Array(61).fill(0);
  for (const time of times) counts[Math.floor((time - least) / span)] += 1;
  return lineChart(label, [{ name: label, points: counts.map((count, index) => [least + index * span, count]) }]);
}

async function aggregates(name, filter, property, curl) {
  const aggregate = ['@min', '@max', '@avg', '@sum'].map((kind) => `${property.name}.${kind}`).join(',');
  const target = path('collections', name) + query({ filter, aggregate });
  curl({ target });
  const found = await read(target);
  return table(texts.plot.aggregates, texts.plot.heads, Object.entries(found).map(([key, value]) => [key, summary(value)]));
}
