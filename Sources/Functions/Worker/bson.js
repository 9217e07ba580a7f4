'use strict';
// Values to BSON and back. Source: https://bsonspec.org/spec.html, version 1.1.

const tag = require('tag');
const types = require('types');

const maximumDepth = 100;
// The order of a document's names, where JavaScript would not keep it: it puts those that look like indices first.
const order = Symbol('order');
// The method of a cursor that gives its documents.
const contents = Symbol('contents');
const looksLikeIndex = /^(?:0|[1-9]\d{0,9})$/;

class ValueError extends Error {
  constructor(rule, message) {
    super(message);
    this.name = 'ValueError';
    this.rule = rule;
  }
}

class Reader {
  // With `longs` false, 64-bit integers become numbers where numbers can hold them.
  constructor(bytes, position, longs) {
    this.bytes = bytes;
    this.position = position;
    this.longs = longs;
  }

  document() {
    const bytes = this.bytes;
    const end = this.position + bytes.readInt32LE(this.position) - 1;
    this.position += 4;
    const document = {};
    let names;
    while (this.position < end) {
      const type = bytes[this.position++];
      const name = this.cString();
      // A first digit is all it takes to have a closer look.
      const first = name.charCodeAt(0);
      if (first >= 48 && first <= 57 && !names && looksLikeIndex.test(name)) names = Object.keys(document);
      if (names) names.push(name);
      const value = this.value(type);
      if (name === '__proto__') {
        Object.defineProperty(document, name, {value, enumerable: true, writable: true, configurable: true});
      } else {
        document[name] = value;
      }
    }
    this.position = end + 1;
    if (names) Object.defineProperty(document, order, {value: names});
    return document;
  }

  array() {
    const bytes = this.bytes;
    const end = this.position + bytes.readInt32LE(this.position) - 1;
    this.position += 4;
    const array = [];
    while (this.position < end) {
      const type = bytes[this.position++];
      while (bytes[this.position++] !== 0);
      array.push(this.value(type));
    }
    this.position = end + 1;
    return array;
  }

  cString() {
    const bytes = this.bytes;
    const start = this.position;
    let end = start;
    let isASCII = true;
    for (let byte = bytes[end]; byte !== 0; byte = bytes[++end]) if (byte > 127) isASCII = false;
    this.position = end + 1;
    return isASCII ? bytes.latin1Slice(start, end) : bytes.utf8Slice(start, end);
  }

  string() {
    const start = this.position + 4;
    const end = start + this.bytes.readInt32LE(this.position) - 1;
    this.position = end + 1;
    return this.bytes.utf8Slice(start, end);
  }

  take(count) {
    const start = this.position;
    this.position += count;
    // A copy: the buffer is used again.
    return Buffer.from(this.bytes.subarray(start, this.position));
  }

  value(type) {
    switch (type) {
      case 0x01: {
        const value = this.bytes.readDoubleLE(this.position);
        this.position += 8;
        return value;
      }
      case 0x02: return this.string();
      case 0x03: return this.document();
      case 0x04: return this.array();
      case 0x05: return this.binary();
      case 0x06: return undefined;
      case 0x07: return new types.ObjectId(this.take(12));
      case 0x08: return this.bytes[this.position++] === 1;
      case 0x09: return this.date();
      case 0x0a: return null;
      case 0x0b: return new types.BSONRegExp(this.cString(), this.cString());
      case 0x0c: return new types.DBPointer(this.string(), new types.ObjectId(this.take(12)));
      case 0x0d: return new types.Code(this.string());
      case 0x0e: return new types.BSONSymbol(this.string());
      case 0x0f: {
        this.position += 4;
        return new types.Code(this.string(), this.document());
      }
      case 0x10: {
        const value = this.bytes.readInt32LE(this.position);
        this.position += 4;
        return value;
      }
      case 0x11: {
        const i = this.bytes.readUInt32LE(this.position);
        const t = this.bytes.readUInt32LE(this.position + 4);
        this.position += 8;
        return new types.Timestamp(t, i);
      }
      case 0x12: return this.long();
      case 0x13: return new types.Decimal128(this.take(16));
      case 0x7f: return new types.MaxKey();
      case 0xff: return new types.MinKey();
      default: throw new Error(`unknown type ${type}`);
    }
  }

  binary() {
    const length = this.bytes.readInt32LE(this.position);
    const subtype = this.bytes[this.position + 4];
    this.position += 5;
    if (subtype === 4 && length === 16) return new types.UUID(this.take(16));
    if (subtype !== 2) return new types.Binary(this.take(length), subtype);
    // The old subtype has the length once more.
    this.position += 4;
    return new types.Binary(this.take(length - 4), 2);
  }

  date() {
    const milliseconds = Number(this.bytes.readBigInt64LE(this.position));
    this.position += 8;
    return new Date(milliseconds);
  }

  long() {
    const low = this.bytes.readInt32LE(this.position);
    const high = this.bytes.readInt32LE(this.position + 4);
    this.position += 8;
    if (this.longs) return new types.Long(low, high);
    const number = high * 4294967296 + (low >>> 0);
    return Number.isSafeInteger(number) ? number : new types.Long(low, high);
  }
}

class Writer {
  // With `longs` true, whole numbers become 64-bit integers where they don't fit into 32 bits.
  constructor(longs = false) {
    this.bytes = Buffer.allocUnsafe(16384);
    this.longs = longs;
    this.limit = Infinity;
    // Members without a value are `omitted` as in JSON, `null` as MongoDB's drivers store them, or `kept`.
    this.undefinedMembers = 'omitted';
    // Whether cursors are written as their documents: in results, while what is stored by mistake would be there for good.
    this.readsCursors = false;
    this.reset(0);
  }

  reset(position) {
    this.position = position;
    this.depth = 0;
    if (this.bytes.length > 1 << 20) this.bytes = Buffer.allocUnsafe(16384);
  }

  room(count) {
    const needed = this.position + count;
    if (needed <= this.bytes.length) return;
    this.check(needed);
    const bytes = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, needed));
    this.bytes.copy(bytes, 0, 0, this.position);
    this.bytes = bytes;
  }

  // Buffers grow in steps, so that the whole has to be looked at in the end.
  check(size = this.position) {
    if (size <= this.limit) return;
    const error = new ValueError('tooLarge', `The value is larger than ${this.limit} bytes`);
    throw Object.assign(error, {limit: this.limit});
  }

  byte(value) {
    this.room(1);
    this.bytes[this.position++] = value;
  }

  int32(value) {
    this.room(4);
    this.bytes.writeInt32LE(value, this.position);
    this.position += 4;
  }

  int64(value) {
    this.room(8);
    this.bytes.writeBigInt64LE(value, this.position);
    this.position += 8;
  }

  append(bytes) {
    this.room(bytes.length);
    this.position += bytes.copy(this.bytes, this.position);
  }

  cString(text) {
    if (text.includes('\0')) throw new ValueError('notSerialisable', 'A name has a zero character in it');
    this.room(text.length * 3 + 1);
    this.position += this.bytes.utf8Write(text, this.position);
    this.bytes[this.position++] = 0;
  }

  string(text) {
    // A long text has its bytes counted: three times its length may be more than there is room for.
    this.room((text.length < 65536 ? text.length * 3 : Buffer.byteLength(text)) + 5);
    const written = this.bytes.utf8Write(text, this.position + 4);
    this.bytes.writeInt32LE(written + 1, this.position);
    this.position += written + 4;
    this.bytes[this.position++] = 0;
  }

  // Begins a container, and says where.
  begin() {
    if (++this.depth > maximumDepth) {
      throw new ValueError('tooDeep', `The value is deeper than ${maximumDepth} levels, or holds itself`);
    }
    const start = this.position;
    this.room(4);
    this.position += 4;
    return start;
  }

  end(start) {
    this.byte(0);
    this.bytes.writeInt32LE(this.position - start, start);
    this.depth -= 1;
  }

  document(object) {
    const start = this.begin();
    if (object instanceof Map) {
      for (const [name, value] of object) this.member(String(name), value);
    } else {
      for (const name of namesOf(object)) this.member(name, object[name]);
    }
    this.end(start);
  }

  member(name, value) {
    if (value === undefined) {
      if (this.undefinedMembers !== 'omitted') this.element(name, this.missing());
    } else if (typeof value !== 'function' || this.undefinedMembers === 'kept') {
      this.element(name, value);
    }
  }

  missing() { return this.undefinedMembers === 'kept' ? undefined : null; }

  array(values) {
    const start = this.begin();
    let index = 0;
    for (const value of values) this.element(String(index++), value === undefined ? this.missing() : value);
    this.end(start);
  }

  element(name, value) {
    const typeOffset = this.position;
    this.byte(0);
    this.cString(name);
    // The type is known once the value is written.
    const type = this.value(value);
    this.bytes[typeOffset] = type;
  }

  // Writes the value and gives its type.
  value(value) {
    switch (typeof value) {
      case 'string': this.string(value); return 0x02;
      case 'number': return this.number(value);
      case 'boolean': this.byte(value ? 1 : 0); return 0x08;
      case 'undefined': return 0x06;
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) {
          throw new ValueError('notSerialisable', 'A BigInt does not fit into 64 bits');
        }
        this.int64(value);
        return 0x12;
      case 'object': return value === null ? 0x0a : this.object(value);
      default: throw new ValueError('notSerialisable', `A ${typeof value} is no value of BSON`);
    }
  }

  number(value) {
    if ((value | 0) === value && !Object.is(value, -0)) {
      this.int32(value);
      return 0x10;
    }
    if (this.longs && Number.isSafeInteger(value) && value !== 0) {
      this.int64(BigInt(value));
      return 0x12;
    }
    return this.double(value);
  }

  double(value) {
    this.room(8);
    this.bytes.writeDoubleLE(value, this.position);
    this.position += 8;
    return 0x01;
  }

  object(value) {
    if (tag(value) !== undefined) return this.typed(value);
    if (Array.isArray(value) || value instanceof Set) { this.array(value); return 0x04; }
    if (value instanceof Date) { this.date(value); return 0x09; }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return this.typed(new types.Binary(value));
    if (value instanceof RegExp) {
      // These of BSON's options are also JavaScript's.
      return this.typed(new types.BSONRegExp(value.source, value.flags.replace(/[^imsu]/g, '')));
    }
    if (value instanceof Promise) throw new ValueError('notSerialisable', 'A Promise is no value; await it');
    if (typeof value[contents] === 'function') {
      if (!this.readsCursors) throw new ValueError('notSerialisable', 'A cursor is no value; await its toArray()');
      this.array(value[contents]());
      return 0x04;
    }
    if (value instanceof Error) {
      this.document({name: value.name, message: value.message, ...value});
      return 0x03;
    }
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return this.value(value.valueOf());
    }
    this.document(value);
    return 0x03;
  }

  date(value) {
    const milliseconds = value.getTime();
    if (Number.isNaN(milliseconds)) throw new ValueError('notSerialisable', 'An invalid Date is no value');
    this.int64(BigInt(milliseconds));
  }

  typed(value) {
    switch (tag(value)) {
      case 'Long':
        this.int32(value.low);
        this.int32(value.high);
        return 0x12;
      case 'Int32': this.int32(value.value); return 0x10;
      case 'Double': return this.double(value.value);
      case 'ObjectId': this.append(value.id); return 0x07;
      case 'Decimal128': this.append(value.bytes); return 0x13;
      case 'Binary': this.binary(value); return 0x05;
      case 'Timestamp':
        this.int32(value.i | 0);
        this.int32(value.t | 0);
        return 0x11;
      case 'BSONRegExp':
        this.cString(value.pattern);
        this.cString(value.options);
        return 0x0b;
      case 'Code': return this.code(value);
      case 'BSONSymbol': this.string(value.value); return 0x0e;
      case 'DBPointer':
        this.string(value.namespace);
        this.append(value.id.id);
        return 0x0c;
      case 'MinKey': return 0xff;
      case 'MaxKey': return 0x7f;
      default: throw new ValueError('notSerialisable', 'An object has a _bsontype that is unknown here');
    }
  }

  binary(value) {
    const isOld = value.sub_type === 2;
    this.int32(value.buffer.length + (isOld ? 4 : 0));
    this.byte(value.sub_type);
    if (isOld) this.int32(value.buffer.length);
    this.append(value.buffer);
  }

  code(value) {
    if (value.scope === undefined) {
      this.string(value.code);
      return 0x0d;
    }
    const start = this.begin();
    this.string(value.code);
    this.document(value.scope);
    this.bytes.writeInt32LE(this.position - start, start);
    this.depth -= 1;
    return 0x0f;
  }
}

// The keys that the document came with in their order, and then the others.
function namesOf(object) {
  const kept = object[order];
  const names = Object.keys(object);
  if (kept === undefined) return names;
  const present = new Set(names);
  const first = kept.filter(name => present.delete(name));
  return [...first, ...present];
}

// The document that begins there.
const decode = (bytes, position = 0, longs = true) => new Reader(bytes, position, longs).document();

// All documents, one behind the other.
function decodeSequence(bytes, longs = true) {
  const reader = new Reader(bytes, 0, longs);
  const documents = [];
  while (reader.position < bytes.length) documents.push(reader.document());
  return documents;
}

function encode(object, longs = false) {
  const writer = new Writer(longs);
  writer.document(object);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

module.exports = {Writer, ValueError, decode, decodeSequence, encode, namesOf, order, contents};
