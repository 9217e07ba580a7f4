// The rows of a table, however many: the keys of all of them in their order, and the objects of those that are looked at.
import { count, objects, path, read, write } from '../Base/api.js';
import { isDocument, keyText, segment } from './documents.js';

/** As many keys are kept in memory; who wants to see beyond makes the filter narrower. */
export const mostRows = 500_000;
const block = 60;
const mostObjects = 6000;

export class Rows {
  keys = [];
  /** How many objects there are, which may be more than there are keys. */
  total = 0;
  isLoading = false;
  #objects = new Map();
  #places = new Map();
  #wanted = new Set();
  #abort = new AbortController();

  /** `changed` is called when there is more to show. */
  constructor(type, { filter, sort, fields }, changed) {
    this.type = type;
    this.filter = filter;
    this.sort = sort;
    this.fields = fields;
    this.changed = changed;
  }

  close() {
    this.#abort.abort();
  }

  /** Reads the keys, as a stream: the first rows are shown before the last have come. */
  async load() {
    this.#abort.abort();
    const abort = this.#abort = new AbortController();
    const { type, filter, sort } = this;
    const keys = [];
    this.isLoading = true;
    try {
      const isFirst = this.keys.length === 0;
      for await (const part of objects(type.name, { filter, sort, fields: type.key, limit: mostRows }, abort.signal)) {
        for (const object of part) keys.push(object[type.key]);
        if (isFirst) this.#take(keys);
      }
    } finally {
      if (this.#abort === abort) this.isLoading = false;
    }
    this.#objects.clear();
    this.#take(keys);
    if (keys.length >= mostRows) this.total = await count(type.name, { filter });
    this.changed();
  }

  #take(keys) {
    this.keys = keys;
    this.total = keys.length;
    this.#places = undefined;
    this.changed();
  }

  /** The place of an object; undefined: it is not there. */
  place(key) {
    this.#places ??= new Map(this.keys.map((one, index) => [keyText(one), index]));
    return this.#places.get(keyText(key));
  }

  /** The object of a row; undefined: it is being read. */
  object(index) {
    const key = this.keys[index];
    const found = this.#objects.get(keyText(key));
    if (found === undefined && key !== undefined) this.#want(key);
    return found;
  }

  /** The objects that have been read. */
  get objects() {
    return [...this.#objects.values()].filter(Boolean);
  }

  forget(key) {
    this.#objects.delete(keyText(key));
  }

  remove(key) {
    const index = this.place(key);
    if (index === undefined) return;
    this.keys.splice(index, 1);
    this.total -= 1;
    this.#places = undefined;
    this.#objects.delete(keyText(key));
  }

  append(key) {
    if (this.place(key) !== undefined) return;
    this.#places.set(keyText(key), this.keys.push(key) - 1);
    this.total += 1;
  }

  #want(key) {
    if (this.#wanted.size === 0) setTimeout(() => this.#fetch(), 30);
    this.#wanted.add(key);
  }

  async #fetch() {
    // The last ones are those that are still looked at after a fast scroll.
    const keys = [...this.#wanted].slice(-block);
    this.#wanted.clear();
    const { type, fields } = this;
    try {
      // A document is no constant of the query language: what it identifies is read alone.
      const documents = type.isSchemaless ? keys.filter(isDocument) : [];
      const others = keys.filter((key) => !documents.includes(key));
      const found = await Promise.all(documents.map((key) => read(path('collections', type.name, segment(type, key))).catch(() => undefined)));
      found.push(...await write('POST', path('query'), { from: type.name, filter: `${type.key} IN $0`, args: [others], limit: keys.length, fields }));
      if (this.#objects.size > mostObjects) this.#objects.clear();
      const known = new Map(found.filter(Boolean).map((object) => [keyText(object[type.key]), object]));
      for (const key of keys.map(keyText)) this.#objects.set(key, known.get(key) ?? null);
      this.changed();
    } catch {
      // The next look at the rows asks again.
    }
  }
}
