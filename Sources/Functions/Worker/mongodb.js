'use strict';
// `context.services.get(NAME)` of a data source: the gateway's classes as MongoDB's collections, as App Services gives them to
// functions.

const {Writer, contents, decode} = require('bson');
const channel = require('channel');
const ejson = require('ejson');

// Errors after which a transaction may succeed as a whole.
const transient = ['WriteConflict', 'NoSuchTransaction'];
const noSuchTransaction = 251;

// As MongoDB's driver has it: `code` is the number of a server's error, and the gateway's word of any other.
class MongoDBError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
    this.name = typeof code === 'number' ? 'MongoServerError' : 'MongoError';
    // MongoDB's name of the error stands before its text, but for one.
    this.codeName = code === 11000 ? 'DuplicateKey' : /^\((\w+)\)/.exec(message)?.[1];
    this.errorLabels = transient.includes(this.codeName) ? ['TransientTransactionError'] : [];
  }

  hasErrorLabel(label) { return this.errorLabels.includes(label); }
}

function ask(question) {
  try {
    return channel.ask({question: 'data', method: 'POST', ...question});
  } catch (error) {
    if (error.code !== 'MongoDBError') throw error;
    const hasEnded = error.message.startsWith('(NoSuchTransaction)');
    throw new MongoDBError(error.message, hasEnded ? noSuchTransaction : error.code);
  }
}

// The members of commands that hold what is stored.
const stored = new Set(['document', 'documents', 'update', 'replacement']);

// Whole numbers are integers, as in `context.realm`. A condition without a value stays one, which the gateway refuses: left out,
// the others would hold for more documents than were meant. What is stored has null there, as with MongoDB's drivers.
function encode(command) {
  const writer = new Writer(true);
  const start = writer.begin();
  for (const [name, value] of Object.entries(command)) {
    if (value === undefined) continue;
    writer.undefinedMembers = stored.has(name) ? 'null' : 'kept';
    writer.element(name, value);
  }
  writer.end(start);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

function perform(action, command, transaction) {
  const {status, content} = ask({
    target: `/app/functions/endpoint/data/v1/action/${action}`, content: encode(command), transaction,
  });
  if (status < 400) return decode(content.buffer, 0, false);
  const {error, error_code: word, code: number, ...insertion} = ejson.parse(content.buffer.toString('utf8'));
  // `insertMany` says how far it came: `index` and `insertedIds`.
  throw Object.assign(new MongoDBError(error, number ?? word), insertion);
}

// The numbers of transactions are the worker's own, so that none of them comes twice in a call.
let transactions = 0;
// Performs a command as a part of the transaction that its session has open, if it has one.
let performInSession;

// Milliseconds that `withTransaction` goes on trying, as MongoDB's drivers do.
const retryTime = 120000;

// Commands of one session that are committed together. The gateway has the transaction; it ends with the call.
class Session {
  // none, started, open (it has had a command), committed, aborted
  #state = 'none';
  #number;
  // The first error of a command, which has ended the transaction.
  #failure;

  static {
    performInSession = (session, action, command) => {
      if (session === undefined || session === null) return perform(action, command);
      if (!(session instanceof Session)) throw new MongoDBError('session is not one of startSession().', 'InvalidParameter');
      return session.#perform(action, command);
    };
  }

  #perform(action, command) {
    if (this.#state === 'ended') throw new MongoDBError('The session has ended.', 'InvalidParameter');
    if (!this.inTransaction()) return perform(action, command);
    if (this.#failure !== undefined) throw this.#over();
    const step = this.#state === 'started' ? 'begin' : 'continue';
    this.#state = 'open';
    try {
      return perform(action, command, {number: this.#number, step});
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  // The error of a command behind the one that has failed. Doing it all again helps only where that one's error is transient.
  #over() {
    const cause = this.#failure;
    const error = new MongoDBError(
      `(NoSuchTransaction) The transaction has ended with an error: ${cause.message}`, noSuchTransaction);
    error.errorLabels = cause.errorLabels ?? [];
    error.cause = cause;
    return error;
  }

  get hasEnded() { return this.#state === 'ended'; }
  inTransaction() { return this.#state === 'started' || this.#state === 'open'; }

  startTransaction() {
    if (this.hasEnded) throw new MongoDBError('The session has ended.', 'InvalidParameter');
    if (this.inTransaction()) throw new MongoDBError('Transaction already in progress', 'InvalidParameter');
    this.#number = ++transactions;
    this.#state = 'started';
    this.#failure = undefined;
  }

  #end(step) {
    const hadCommands = this.#state === 'open';
    this.#state = step === 'commit' ? 'committed' : 'aborted';
    if (!hadCommands) return;
    const transaction = {number: this.#number, step};
    if (step === 'commit') perform('commitTransaction', {}, transaction);
    else ask({target: '/app/functions/endpoint/data/v1/action/abortTransaction', transaction});
  }

  async commitTransaction() {
    if (this.#state === 'committed') return;
    if (!this.inTransaction()) throw new MongoDBError('No transaction started', 'InvalidParameter');
    if (this.#failure !== undefined) {
      this.#end('abort');
      throw this.#failure;
    }
    this.#end('commit');
  }

  // One that has been aborted may be so again: examples of App Services do it.
  async abortTransaction() {
    if (this.#state === 'aborted') return;
    if (!this.inTransaction()) throw new MongoDBError('No transaction started', 'InvalidParameter');
    this.#end('abort');
  }

  async withTransaction(body) {
    const end = Date.now() + retryTime;
    for (;;) {
      this.startTransaction();
      try {
        const result = await body(this);
        if (this.inTransaction()) await this.commitTransaction();
        return result;
      } catch (thrown) {
        if (this.inTransaction()) await this.abortTransaction();
        // A body that goes on behind an error gets another one, of which the first is the cause.
        const error = thrown instanceof MongoDBError && thrown.cause !== undefined ? thrown.cause : thrown;
        const isTransient = error instanceof MongoDBError && error.hasErrorLabel('TransientTransactionError');
        if (!isTransient || Date.now() >= end) throw error;
      }
    }
  }

  async endSession() {
    if (this.inTransaction()) await this.abortTransaction();
    this.#state = 'ended';
  }
}

// Documents that are asked for when the first of them is looked at.
class Cursor {
  #load;
  #options;
  #changes = [];
  #documents;
  #place = 0;

  constructor(load, options) {
    this.#load = load;
    this.#options = options;
  }

  #set(name, value) {
    if (this.#documents !== undefined) throw new MongoDBError('The cursor has been read already.', 'CursorInUse');
    this.#options[name] = value;
    return this;
  }

  #all() { return this.#documents ??= this.#load(this.#options); }

  // A cursor that is part of a function's result stands for the documents that it has left.
  [contents]() {
    const documents = this.#all().slice(this.#place);
    this.#place += documents.length;
    return documents.map(document => this.#changed(document));
  }

  #changed(document) { return this.#changes.reduce((value, change) => change(value), document); }

  sort(keys) { return this.#set('sort', keys); }
  limit(count) { return this.#set('limit', count); }
  skip(count) { return this.#set('skip', count); }
  project(fields) { return this.#set('projection', fields); }

  map(change) {
    this.#changes.push(change);
    return this;
  }

  async hasNext() { return this.#place < this.#all().length; }

  async next() {
    const documents = this.#all();
    return this.#place < documents.length ? this.#changed(documents[this.#place++]) : null;
  }

  async toArray() { return this[contents](); }

  async forEach(body) {
    for await (const document of this) await body(document);
  }

  async *[Symbol.asyncIterator]() {
    while (await this.hasNext()) yield this.next();
  }

  async count() { return this.#all().length; }
  close() {}
}

// The options of drivers that mean nothing here: none of them changes which documents a command reads or writes.
const idle = new Set([
  'allowDiskUse', 'batchSize', 'comment', 'hint', 'maxTimeMS', 'readConcern', 'readPreference', 'writeConcern',
]);

// An option that is not known would be one that has no effect: a misspelt session, and the command were none of its transaction.
function check(options, ...names) {
  if (options === null || options === undefined) return {};
  if (typeof options !== 'object') throw new MongoDBError('options is not a document.', 'InvalidParameter');
  for (const name of Object.keys(options)) {
    if (name === 'session' || names.includes(name) || idle.has(name)) continue;
    throw new MongoDBError(`unknown option '${name}'`, 'InvalidParameter');
  }
  return options;
}

// A projection, which stands before the options: a session in its place would be taken for a name of a field.
function checkProjection(projection) {
  if (Object.values(projection ?? {}).some(value => value instanceof Session)) {
    throw new MongoDBError('session belongs into the options, behind the projection.', 'InvalidParameter');
  }
  return projection;
}

// Which document a command answers with, as App Services' functions say it or as MongoDB's drivers do.
function returnsNew({returnNewDocument, returnDocument}) {
  if (returnDocument === undefined) return returnNewDocument;
  if (returnDocument === 'after' || returnDocument === 'before') return returnDocument === 'after';
  throw new MongoDBError("returnDocument is 'after' or 'before'.", 'InvalidParameter');
}

const isInTransaction = session => session instanceof Session && session.inTransaction();

// The first error of several operations, with all of them and what was done, as with MongoDB's drivers, whose MongoBulkWriteError has
// the members of its result, too.
function failed(failures, result, count, {ordered}) {
  const [{error}] = failures;
  const writeErrors = failures.map(({index, error: {code, message}}) => ({index, code, errmsg: message}));
  Object.assign(error, result, {result, writeErrors});
  if (ordered === false) error.message += ` (${failures.length} of ${count} operations failed)`;
  return error;
}

// Adds the identifiers of documents that have been inserted, the first of which was at a place among all.
function addInserted(sum, identifiers, start) {
  for (const [place, id] of identifiers.entries()) sum.insertedIds[start + place] = id;
  sum.insertedCount += identifiers.length;
}

// The commands that `bulkWrite` takes.
const writes = new Set(['insertOne', 'updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany']);

class Collection {
  #place;

  constructor(place) {
    this.#place = place;
  }

  #perform(action, command, options) {
    return performInSession(options?.session, action, {...this.#place, ...command});
  }

  // Limit 0 is none.
  find(filter = {}, projection, options) {
    const given = check(options, 'projection', 'sort', 'limit', 'skip');
    const load = ({sort, limit = 0, skip, projection}) =>
      this.#perform('find', {filter, projection, sort, limit, skip}, given).documents;
    return new Cursor(load, {...given, projection: checkProjection(projection) ?? given.projection});
  }

  async findOne(filter = {}, projection, options) {
    const given = check(options, 'projection', 'sort', 'skip');
    const {sort, skip} = given;
    return this.#perform(
      'findOne', {filter, projection: checkProjection(projection) ?? given.projection, sort, skip}, given).document;
  }

  aggregate(pipeline = [], options) {
    const given = check(options);
    const load = ({sort, limit, skip, projection}) => {
      const stages = [...pipeline];
      if (sort !== undefined) stages.push({$sort: sort});
      if (skip !== undefined) stages.push({$skip: skip});
      if (limit !== undefined) stages.push({$limit: limit});
      if (projection !== undefined) stages.push({$project: projection});
      return this.#perform('aggregate', {pipeline: stages}, given).documents;
    };
    return new Cursor(load, {});
  }

  async count(filter = {}, options) {
    const given = check(options, 'limit', 'skip');
    const {limit, skip} = given;
    return this.#perform('count', {filter, limit, skip}, given).count;
  }

  countDocuments(filter, options) { return this.count(filter, options); }
  estimatedDocumentCount() { return this.count(); }

  async distinct(key, filter = {}, options) {
    return this.#perform('distinct', {key, filter}, check(options)).values;
  }

  async insertOne(document, options) { return this.#perform('insertOne', {document}, check(options)); }
  async deleteOne(filter, options) { return this.#perform('deleteOne', {filter}, check(options)); }
  async deleteMany(filter, options) { return this.#perform('deleteMany', {filter}, check(options)); }

  // The gateway inserts up to the first document that cannot be; where `ordered` is false, those behind it are next. In a transaction
  // it is all or nothing.
  async insertMany(documents, options) {
    const given = check(options, 'ordered');
    const sum = {insertedCount: 0, insertedIds: {}};
    const failures = [];
    for (let start = 0; start === 0 || start < documents.length;) {
      try {
        const rest = start === 0 ? documents : documents.slice(start);
        const {insertedIds} = this.#perform('insertMany', {documents: rest}, given);
        if (start === 0) return {insertedIds};
        addInserted(sum, insertedIds, start);
        break;
      } catch (error) {
        if (!(error instanceof MongoDBError) || error.index === undefined) throw error;
        const {index, insertedIds} = error;
        error.message = error.message.replace(/ at documents\[\d+\]$/, '');
        addInserted(sum, insertedIds, start);
        failures.push({index: start + index, error});
        delete error.insertedIds;
        if (given.ordered !== false || isInTransaction(given.session)) break;
        start += index + 1;
      }
    }
    throw failed(failures, sum, documents.length, given);
  }

  async updateOne(filter, update, options) { return this.#update('updateOne', filter, update, options); }
  async updateMany(filter, update, options) { return this.#update('updateMany', filter, update, options); }

  #update(action, filter, update, options) {
    const given = check(options, 'upsert', 'arrayFilters');
    const {upsert, arrayFilters} = given;
    return this.#perform(action, {filter, update, upsert, arrayFilters}, given);
  }

  async replaceOne(filter, replacement, options) {
    const given = check(options, 'upsert');
    return this.#perform('replaceOne', {filter, replacement, upsert: given.upsert}, given);
  }

  async findOneAndUpdate(filter, update, options) {
    const given = check(
      options, 'sort', 'projection', 'upsert', 'returnNewDocument', 'returnDocument', 'arrayFilters');
    return this.#find('findOneAndUpdate', {filter, update, arrayFilters: given.arrayFilters}, given);
  }

  async findOneAndReplace(filter, update, options) {
    const given = check(options, 'sort', 'projection', 'upsert', 'returnNewDocument', 'returnDocument');
    return this.#find('findOneAndReplace', {filter, update}, given);
  }

  async findOneAndDelete(filter, options) {
    return this.#find('findOneAndDelete', {filter}, check(options, 'sort', 'projection'));
  }

  #find(action, command, options) {
    const {sort, projection, upsert} = options;
    return this.#perform(
      action, {...command, sort, projection, upsert, returnNewDocument: returnsNew(options)}, options).document;
  }

  async bulkWrite(operations, options) {
    const given = check(options, 'ordered');
    for (const operation of operations) {
      const names = Object.keys(operation);
      if (names.length === 1 && writes.has(names[0])) continue;
      throw new MongoDBError(`unknown operation of bulkWrite: '${names.join("', '")}'`, 'InvalidParameter');
    }
    return this.#write(operations, given);
  }

  // Performs commands one after the other, each by itself. The first error ends it, or is thrown after all others where `ordered` is
  // false; a transaction ends with an error in any case. The error has what was done, as with MongoDB's drivers.
  #write(operations, {session, ordered}) {
    const sum = {
      insertedCount: 0, matchedCount: 0, modifiedCount: 0, deletedCount: 0, upsertedCount: 0, insertedIds: {},
      upsertedIds: {},
    };
    const failures = [];
    for (const [index, operation] of operations.entries()) {
      const [[name, command]] = Object.entries(operation);
      try {
        this.#add(name, this.#perform(name, command, {session}), index, sum);
      } catch (error) {
        if (!(error instanceof MongoDBError)) throw error;
        failures.push({index, error});
        if (ordered !== false || isInTransaction(session)) break;
      }
    }
    if (failures.length === 0) return sum;
    throw failed(failures, sum, operations.length, {ordered});
  }

  #add(name, result, index, sum) {
    if (name === 'insertOne') {
      sum.insertedCount++;
      sum.insertedIds[index] = result.insertedId;
    }
    for (const count of ['matchedCount', 'modifiedCount', 'deletedCount']) sum[count] += result[count] ?? 0;
    if (result.upsertedId === undefined) return;
    sum.upsertedCount++;
    sum.upsertedIds[index] = result.upsertedId;
  }
}

// Calls share them, so that none may change them for others.
for (const type of [Cursor, Collection, Session]) Object.freeze(type.prototype);

module.exports = dataSource => Object.freeze({
  db: database => Object.freeze({
    collection: collection => new Collection(Object.freeze({dataSource, database, collection})),
  }),
  startSession: () => new Session(),
});
