// Objects with a location, on a map of the world.
import { objects, path, query } from '../Base/api.js';
import { button, element, field, note } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';
import { go } from '../Base/route.js';
import { texts } from '../Page/texts.js';
import { heading, objectLink } from '../Data/value.js';
import { outline } from './outline.js';

const most = 200_000;

export async function view(place, { segments: [name], parameters: { filter = '', size: wanted }, gateway, curl }) {
  const type = gateway.schema.type(name);
  place.classList.add('full');
  const source = locationOf(gateway.schema, type);
  const bar = element('div', { class: 'bar' }, heading(name, texts.data.map, { filter }));
  place.append(bar);
  if (!source) {
    place.append(note(texts.map.none));
    return undefined;
  }
  const sizes = type.stored.filter((property) => property.isNumber && property.name !== type.key && !source.fields.includes(property.name));
  const size = sizes.find((property) => property.name === wanted);
  const select = element('select', { name: 'size', on: { change: () => go('map', [name], { filter, size: select.value }) } },
    element('option', { value: '' }, texts.map.equal), sizes.map((property) => element('option', { selected: property === size }, property.name)));
  const label = type.stored.find((property) => property.type === 'string' && property.kind === 'value' && property.name !== type.key);
  const state = element('p', { class: 'count', role: 'status' }, texts.data.loading);
  const chosen = element('p', { class: 'chosen', role: 'status' });
  const map = new WorldMap((point) => chosen.replaceChildren(objectLink(name, point.key, `${point.label ?? point.key}`), ` ${point.x.toFixed(3)}, ${point.y.toFixed(3)}`));
  bar.append(field(texts.map.size, select), button('+', () => map.zoom(1.5), { 'aria-label': texts.map.closer }), button('−', () => map.zoom(1 / 1.5), { 'aria-label': texts.map.farther }), button(texts.map.whole, () => map.reset()), state);
  place.append(map.element, chosen);

  const fields = [type.key, ...source.fields, size?.name, label?.name].filter(Boolean).join(',');
  const parameters = { filter, fields, limit: most };
  curl({ target: path('collections', name) + query(parameters), accept: 'application/x-ndjson' });
  try {
    for await (const part of objects(name, parameters)) {
      for (const object of part) {
        const point = source.read(object);
        if (point) map.add({ ...point, key: object[type.key], label: label && object[label.name], size: size && Number(object[size.name]) });
      }
      map.ask();
    }
    state.textContent = texts.map.count(map.points.length);
  } catch (error) {
    state.textContent = sentence(error);
  }
  return () => map.close();
}

/** Where a class keeps a place: as GeoJSON's point in an embedded object, or as two numbers. */
function locationOf(schema, type) {
  const pair = (holder) => {
    const latitude = holder.stored.find((property) => /^lat(itude)?$/i.test(property.name) && property.isNumber);
    const longitude = holder.stored.find((property) => /^(lon|lng|long|longitude)$/i.test(property.name) && property.isNumber);
    return latitude && longitude ? { latitude: latitude.name, longitude: longitude.name } : undefined;
  };
  const point = (x, y) => (typeof x === 'number' && typeof y === 'number' && Math.abs(y) <= 90 ? { x, y } : undefined);
  for (const property of type.stored) {
    const target = property.kind === 'value' && property.isEmbedded ? schema.type(property.target) : undefined;
    if (target?.property('coordinates')) return { fields: [property.name], read: (object) => point(...object[property.name]?.coordinates ?? []) };
    const names = target && pair(target);
    if (names) return { fields: [property.name], read: (object) => point(object[property.name]?.[names.longitude], object[property.name]?.[names.latitude]) };
  }
  const own = pair(type);
  return own && { fields: [own.longitude, own.latitude], read: (object) => point(object[own.longitude], object[own.latitude]) };
}

/** A canvas with the outline of the world, and points; it is moved by dragging and by the keyboard, and zoomed by the wheel. */
class WorldMap {
  points = [];
  #rings = outline();
  #scale = 1;
  #center = { x: 0, y: 15 };
  #isAsked = false;

  constructor(choose) {
    this.choose = choose;
    this.canvas = element('canvas', { tabIndex: 0, role: 'img', 'aria-label': texts.map.label, on: {
      wheel: (event) => { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, this.#place(event)); },
      pointerdown: (event) => this.#drag(event), click: (event) => this.#click(event), keydown: (event) => this.#key(event),
    } });
    this.element = element('div', { class: 'map' }, this.canvas);
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(this.element);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', () => this.ask());
  }

  close() {
    this.observer.disconnect();
  }

  add(point) {
    this.points.push(point);
  }

  zoom(factor, around = this.#center) {
    const scale = Math.min(200, Math.max(1, this.#scale * factor));
    const moved = this.#scale / scale;
    this.#center = { x: around.x + (this.#center.x - around.x) * moved, y: around.y + (this.#center.y - around.y) * moved };
    this.#scale = scale;
    this.ask();
  }

  reset() {
    this.#scale = 1;
    this.#center = { x: 0, y: 15 };
    this.ask();
  }

  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#draw();
    });
  }

  /** Pixels for a degree. */
  get #unit() {
    return this.canvas.clientWidth / 360 * this.#scale;
  }

  #draw() {
    const { canvas } = this;
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const unit = this.#unit;
    const x = (longitude) => width / 2 + (longitude - this.#center.x) * unit;
    const y = (latitude) => height / 2 - (latitude - this.#center.y) * unit;
    context.fillStyle = style.getPropertyValue('--land');
    context.strokeStyle = style.getPropertyValue('--border');
    context.lineWidth = 0.7;
    context.beginPath();
    for (const ring of this.#rings) {
      ring.forEach(([longitude, latitude], index) => (index === 0 ? context.moveTo(x(longitude), y(latitude)) : context.lineTo(x(longitude), y(latitude))));
      context.closePath();
    }
    context.fill();
    context.stroke();
    const greatest = this.points.reduce((most, point) => Math.max(most, point.size ?? 0), 0);
    const least = this.points.length > 5000 ? 1.2 : 2.4;
    context.fillStyle = style.getPropertyValue('--point');
    context.globalAlpha = 0.6;
    for (const point of this.points) {
      const [left, top] = [x(point.x), y(point.y)];
      if (left < -20 || top < -20 || left > width + 20 || top > height + 20) continue;
      const radius = greatest > 0 ? 0.8 + 12 * Math.sqrt(Math.max(0, point.size || 0) / greatest) : least * Math.min(3, Math.sqrt(this.#scale));
      context.beginPath();
      context.arc(left, top, radius, 0, 7);
      context.fill();
    }
  }

  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    return {
      x: this.#center.x + (event.clientX - box.left - box.width / 2) / this.#unit,
      y: this.#center.y - (event.clientY - box.top - box.height / 2) / this.#unit,
    };
  }

  #wasMoved = false;

  #drag(start) {
    const from = { ...this.#center };
    this.#wasMoved = false;
    const move = (event) => {
      this.#wasMoved ||= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > 4;
      this.#center = { x: from.x - (event.clientX - start.clientX) / this.#unit, y: from.y + (event.clientY - start.clientY) / this.#unit };
      this.ask();
    };
    this.canvas.setPointerCapture(start.pointerId);
    this.canvas.addEventListener('pointermove', move);
    this.canvas.addEventListener('pointerup', () => this.canvas.removeEventListener('pointermove', move), { once: true });
  }

  /** Chooses the nearest point, if one is near. */
  #click(event) {
    if (this.#wasMoved) return;
    const { x, y } = this.#place(event);
    let [nearest, distance] = [undefined, 12 / this.#unit];
    for (const point of this.points) {
      const away = Math.hypot(point.x - x, point.y - y);
      if (away < distance) [nearest, distance] = [point, away];
    }
    if (nearest) this.choose(nearest);
  }

  #key(event) {
    const step = 30 / this.#scale;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) this.#center = { x: this.#center.x + moves[event.key][0], y: this.#center.y + moves[event.key][1] };
    else if (event.key === '+') this.zoom(1.5);
    else if (event.key === '-') this.zoom(1 / 1.5);
    else return;
    event.preventDefault();
    this.ask();
  }
}
