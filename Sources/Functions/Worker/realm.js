'use strict';
// `context.realm`: the gateway's data, through the gateway's own HTTP resources.

const {decode, decodeSequence, encode} = require('bson');
const channel = require('channel');
const ejson = require('ejson');
const problemText = require('problem');
const tag = require('tag');

const ask = question => channel.ask({question: 'data', ...question});

function request(method, target, body) {
  const question = {method, target};
  // Whole numbers are integers, whatever their size: those that go into a double property are accepted there.
  if (body !== undefined) question.content = encode(body, true);
  const {status, content, next} = ask(question);
  const bytes = content === undefined ? undefined : content.buffer;
  if (status < 400) return {bytes, next};
  const problem = JSON.parse(bytes.toString('utf8'));
  throw new RealmError(problemText(problem), problem.code);
}

class RealmError extends Error {
  name = 'RealmError';

  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const path = (...segments) => `/v1/collections/${segments.map(encodeURIComponent).join('/')}`;
const text = id => tag(id) === undefined && typeof id === 'object' ? ejson.stringify(id) : String(id);
const one = ({bytes}) => bytes === undefined || bytes.length === 0 ? null : decode(bytes, 0, false);

const tokens = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\$(K?)(\d+)/g;

// Filters are put in parentheses to be joined, and one may be a user's: none may end another's string or parentheses.
function requireWhole(filter) {
  let depth = 0;
  let isWhole = true;
  for (const character of filter.replace(tokens, '')) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0 || character === '"' || character === "'") isWhole = false;
  }
  if (isWhole && depth === 0) return;
  throw new RealmError('A filter has a quote or a parenthesis that is not closed, or not opened.', 'invalid_query');
}

// The objects of a class that match, asked for when they are looked at.
class Results {
  #query;

  constructor(query) {
    this.#query = query;
  }

  filtered(filter, ...values) {
    const {filters, args} = this.#query;
    if (filters.length > 0) [filters[0], filter].forEach(requireWhole);
    const shifted = filter.replace(tokens, (all, string, prefix, number) =>
      number === undefined ? all : `$${prefix}${Number(number) + args.length}`);
    return new Results({...this.#query, filters: [...filters, shifted], args: [...args, ...values]});
  }

  // As in Realm: a path, and whether in descending order; or an array of either.
  sorted(descriptor, isReversed = false) {
    const terms = Array.isArray(descriptor) ? descriptor : [[descriptor, isReversed]];
    const sort = terms.map(term => {
      const [name, isDescending] = Array.isArray(term) ? term : [term, false];
      return isDescending ? `-${name}` : name;
    });
    return new Results({...this.#query, sort: sort.join(',')});
  }

  limited(count) {
    return new Results({...this.#query, count});
  }

  #target(parameters) {
    const {objectType, filters, args, sort} = this.#query;
    const filter = filters.length > 1 ? filters.map(each => `(${each})`).join(' AND ') : filters[0];
    const all = {filter, args: args.length ? ejson.stringify(args, {relaxed: false}) : undefined, sort};
    const pairs = Object.entries({...all, ...parameters}).filter(([, value]) => value !== undefined);
    const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    return query === '' ? path(objectType) : `${path(objectType)}?${query}`;
  }

  *[Symbol.iterator]() {
    let left = this.#query.count ?? Infinity;
    let target = left > 0 ? this.#target({limit: Math.min(left, 1000)}) : undefined;
    while (target !== undefined && left > 0) {
      const {bytes, next} = request('GET', target);
      for (const object of decodeSequence(bytes ?? Buffer.alloc(0), false)) {
        if (left-- > 0) yield object;
      }
      target = next;
    }
  }

  toArray() { return [...this]; }
  get first() { return this.limited(1).toArray()[0]; }

  get length() {
    const {total} = ask({method: 'GET', target: this.#target({limit: 1}), counts: true});
    if (total === undefined) return this.toArray().length;
    return Math.min(Number(total), this.#query.count ?? Infinity);
  }

  isEmpty() { return this.first === undefined; }
  toJSON() { return this.toArray(); }
}

for (const name of ['map', 'filter', 'forEach', 'find', 'some', 'every', 'reduce', 'includes', 'at', 'slice']) {
  Results.prototype[name] = function (...values) { return this.toArray()[name](...values); };
}

// Ends a transaction, and returns the operations that it has noted.
let endTransaction;

// Notes the operations of a transaction until it ends.
class Transaction {
  #operations = [];

  static {
    endTransaction = transaction => {
      const operations = transaction.#operations;
      transaction.#operations = undefined;
      return operations;
    };
  }

  #note(operation) {
    if (this.#operations === undefined) throw new RealmError('The transaction has ended.', 'transaction_ended');
    this.#operations.push(operation);
  }

  create(objectType, value, mode = 'error') {
    this.#note({op: 'create', class: objectType, value, mode});
  }

  update(objectType, id, changes) {
    this.#note({op: 'update', class: objectType, id, set: changes});
  }

  delete(objectType, id) {
    this.#note({op: 'delete', class: objectType, id});
  }
}

// Calls share them, so that none may change them for others.
for (const type of [Results, Transaction]) Object.freeze(type.prototype);

module.exports = Object.freeze({
  objects: objectType => new Results({objectType, filters: [], args: []}),

  objectForPrimaryKey(objectType, id) {
    try {
      return one(request('GET', path(objectType, text(id))));
    } catch (error) {
      if (error.code === 'object_not_found') return null;
      throw error;
    }
  },

  create: (objectType, value, mode = 'error') =>
    one(request('POST', `${path(objectType)}?mode=${encodeURIComponent(mode)}`, value)),
  update: (objectType, id, changes) => one(request('PATCH', path(objectType, text(id)), changes)),
  delete: (objectType, id) => { request('DELETE', path(objectType, text(id))); },

  // Calls `body` with a Transaction, and performs what it has noted once `body` is through: all of it, or nothing.
  // Objects that are read meanwhile are as they were before.
  transaction(body) {
    const transaction = new Transaction();
    const perform = result => {
      const operations = endTransaction(transaction);
      if (operations.length > 0) request('POST', '/v1/transactions', {operations});
      return result;
    };
    const abandon = error => {
      endTransaction(transaction);
      throw error;
    };
    let result;
    try {
      result = body(transaction);
    } catch (error) {
      abandon(error);
    }
    return typeof result?.then === 'function' ? result.then(perform, abandon) : perform(result);
  },
});
