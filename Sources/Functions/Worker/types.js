'use strict';
// The types of BSON that JavaScript has no type for. They can be made with and without `new`, as in App Services.

const tag = require('tag');

const inspect = Symbol.for('nodejs.util.inspect.custom');

function define(type, name, members) {
  Object.defineProperty(type.prototype, '_bsontype', {value: name});
  for (const [key, value] of Object.entries(members)) {
    Object.defineProperty(type.prototype, key, {value, writable: true});
  }
  Object.defineProperty(type.prototype, inspect, {
    value() {
      return `${name}(${JSON.stringify(this.toString())})`;
    },
  });
}

const isHexadecimal = (text, digits) => text.length === digits && /^[0-9a-fA-F]*$/.test(text);

function bytesOf(value, encoding) {
  if (typeof value === 'string') return Buffer.from(value, encoding);
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (tag(value) === 'Binary') return value.buffer;
  throw new TypeError('Expected bytes');
}

// 64-bit integers. Arithmetic makes them JavaScript numbers; passed on as they are, they stay exact.
function Long(low, high) {
  if (!new.target) return new Long(low, high);
  if (typeof low === 'bigint') {
    this.low = Number(BigInt.asIntN(32, low));
    this.high = Number(BigInt.asIntN(32, low >> 32n));
  } else if (typeof low === 'string') {
    return Long.fromString(low);
  } else {
    this.low = low | 0;
    this.high = high === undefined ? (low < 0 ? -1 : 0) : high | 0;
  }
}
define(Long, 'Long', {
  toBigInt() { return (BigInt(this.high) << 32n) | BigInt(this.low >>> 0); },
  toNumber() { return this.high * 4294967296 + (this.low >>> 0); },
  toInt() { return this.low; },
  valueOf() { return this.toNumber(); },
  toString() { return this.toBigInt().toString(); },
  toJSON() { return this.toNumber(); },
  equals(other) { return tag(other) === 'Long' && this.low === other.low && this.high === other.high; },
});
Long.fromBigInt = value => {
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit into 64 bits`);
  return new Long(value);
};
Long.fromString = text => Long.fromBigInt(BigInt(text));
Long.fromNumber = value => Long.fromBigInt(BigInt(Math.trunc(value)));
Long.fromInt = value => new Long(value);
Long.fromBits = (low, high) => new Long(low, high);
Long.isLong = value => tag(value) === 'Long';

// Numbers whose type somebody wants to choose.
function Int32(value) {
  if (!new.target) return new Int32(value);
  this.value = Number(value) | 0;
}
define(Int32, 'Int32', {
  valueOf() { return this.value; },
  toString() { return String(this.value); },
  toJSON() { return this.value; },
});

function Double(value) {
  if (!new.target) return new Double(value);
  this.value = Number(value);
}
define(Double, 'Double', {
  valueOf() { return this.value; },
  toString() { return String(this.value); },
  toJSON() { return this.value; },
});

let counter = Math.floor(Math.random() * 0x1000000);
const fresh = require('node:crypto').randomBytes(5);

function ObjectId(id) {
  if (!new.target) return new ObjectId(id);
  if (id === undefined || id === null) this.id = ObjectId.generate();
  else if (tag(id) === 'ObjectId') this.id = Buffer.from(id.id);
  else if (typeof id === 'string' && isHexadecimal(id, 24)) this.id = Buffer.from(id, 'hex');
  else if (ArrayBuffer.isView(id) && id.byteLength === 12) this.id = Buffer.from(bytesOf(id));
  else throw new TypeError('An ObjectId is made of 24 hexadecimal digits or 12 bytes');
}
define(ObjectId, 'ObjectId', {
  toHexString() { return this.id.toString('hex'); },
  toString() { return this.toHexString(); },
  toJSON() { return this.toHexString(); },
  equals(other) { return other != null && other.toString() === this.toString(); },
  getTimestamp() { return new Date(this.id.readUInt32BE(0) * 1000); },
});
ObjectId.generate = () => {
  const id = Buffer.allocUnsafe(12);
  id.writeUInt32BE(Math.floor(Date.now() / 1000), 0);
  fresh.copy(id, 4);
  counter = (counter + 1) & 0xffffff;
  id.writeUIntBE(counter, 9, 3);
  return id;
};
ObjectId.createFromHexString = text => new ObjectId(text);
ObjectId.isValid = value =>
  tag(value) === 'ObjectId' || (typeof value === 'string' && isHexadecimal(value, 24));

function Binary(bytes, subtype) {
  if (!new.target) return new Binary(bytes, subtype);
  this.buffer = bytes === undefined ? Buffer.alloc(0) : bytesOf(bytes, 'latin1');
  this.sub_type = subtype ?? 0;
}
define(Binary, 'Binary', {
  length() { return this.buffer.length; },
  value() { return this.buffer; },
  toBase64() { return this.buffer.toString('base64'); },
  toHex() { return this.buffer.toString('hex'); },
  text() { return this.buffer.toString('utf8'); },
  toString(encoding) { return this.buffer.toString(encoding ?? 'base64'); },
  toJSON() { return this.toBase64(); },
});
Binary.fromBase64 = (text, subtype) => new Binary(Buffer.from(text, 'base64'), subtype);
Binary.fromHex = (text, subtype) => new Binary(Buffer.from(text, 'hex'), subtype);
Binary.fromText = (text, subtype) => new Binary(Buffer.from(text, 'utf8'), subtype);

function UUID(value) {
  if (!new.target) return new UUID(value);
  this.sub_type = 4;
  if (value === undefined) value = require('node:crypto').randomUUID();
  if (typeof value === 'string') {
    const digits = value.replaceAll('-', '');
    if (!isHexadecimal(digits, 32)) throw new TypeError('A UUID has 32 hexadecimal digits');
    this.buffer = Buffer.from(digits, 'hex');
  } else {
    this.buffer = bytesOf(value);
    if (this.buffer.length !== 16) throw new TypeError('A UUID has 16 bytes');
  }
}
Object.setPrototypeOf(UUID.prototype, Binary.prototype);
define(UUID, 'Binary', {
  toHexString() { return this.toString(); },
  toString() { return this.buffer.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'); },
  toJSON() { return this.toString(); },
  equals(other) { return other != null && other.toString() === this.toString(); },
});

function Decimal128(value) {
  if (!new.target) return new Decimal128(value);
  this.bytes = typeof value === 'string' ? decimal.bytes(value) : Buffer.from(bytesOf(value));
}
define(Decimal128, 'Decimal128', {
  toString() { return decimal.text(this.bytes); },
  toJSON() { return {$numberDecimal: this.toString()}; },
});
Decimal128.fromString = text => new Decimal128(text);

// IEEE 754 decimal128 with the coefficient as a binary integer.
const decimal = {
  bias: 6176n,

  bytes(text) {
    const match = /^([+-])?(?:(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?|(inf(?:inity)?)|(nan))$/i.exec(text);
    if (!match || (!match[5] && !match[6] && !match[2] && !match[3])) {
      throw new TypeError(`${JSON.stringify(text)} is no Decimal128`);
    }
    const sign = match[1] === '-' ? 1n << 127n : 0n;
    if (match[6]) return this.pack(0x1fn << 122n);
    if (match[5]) return this.pack(sign | (0x1en << 122n));
    const fraction = match[3] ?? '';
    let digits = ((match[2] ?? '') + fraction).replace(/^0+/, '');
    let exponent = Number(match[4] ?? 0) - fraction.length;
    while (digits.length > 34 && digits.endsWith('0')) [digits, exponent] = [digits.slice(0, -1), exponent + 1];
    if (digits.length === 0) exponent = Math.min(Math.max(exponent, -6176), 6111);
    while (exponent > 6111 && digits.length < 34) [digits, exponent] = [digits + '0', exponent - 1];
    while (exponent < -6176 && digits.endsWith('0')) [digits, exponent] = [digits.slice(0, -1), exponent + 1];
    if (digits.length > 34 || exponent > 6111 || exponent < -6176) {
      throw new RangeError(`${text} has too many digits for a Decimal128`);
    }
    return this.pack(sign | ((BigInt(exponent) + this.bias) << 113n) | BigInt(digits || '0'));
  },

  pack(bits) {
    const bytes = Buffer.allocUnsafe(16);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, bits), 0);
    bytes.writeBigUInt64LE(bits >> 64n, 8);
    return bytes;
  },

  text(bytes) {
    const bits = bytes.readBigUInt64LE(0) | (bytes.readBigUInt64LE(8) << 64n);
    const sign = bits >> 127n ? '-' : '';
    const combination = (bits >> 122n) & 0x1fn;
    if (combination === 0x1fn) return 'NaN';
    if (combination === 0x1en) return `${sign}Infinity`;
    const isLarge = ((bits >> 125n) & 3n) === 3n;
    const exponent = Number(((bits >> (isLarge ? 111n : 113n)) & 0x3fffn) - this.bias);
    // A coefficient of more than 34 digits stands for zero.
    const stored = isLarge ? 0n : bits & ((1n << 113n) - 1n);
    const digits = (stored < 10n ** 34n ? stored : 0n).toString();
    const scientific = exponent + digits.length - 1;
    if (exponent > 0 || scientific < -6) {
      const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
      return `${sign}${digits[0]}${fraction}E${scientific < 0 ? '' : '+'}${scientific}`;
    }
    if (exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - exponent, '0');
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  },
};

function Timestamp(t, i) {
  if (!new.target) return new Timestamp(t, i);
  if (typeof t === 'object') [t, i] = [t.t, t.i];
  this.t = t >>> 0;
  this.i = i >>> 0;
}
define(Timestamp, 'Timestamp', {toString() { return `${this.t}, ${this.i}`; }});

function BSONRegExp(pattern, options) {
  if (!new.target) return new BSONRegExp(pattern, options);
  this.pattern = pattern;
  this.options = [...(options ?? '')].sort().join('');
}
define(BSONRegExp, 'BSONRegExp', {toString() { return `/${this.pattern}/${this.options}`; }});

function Code(code, scope) {
  if (!new.target) return new Code(code, scope);
  this.code = String(code);
  this.scope = scope;
}
define(Code, 'Code', {toString() { return this.code; }});

function BSONSymbol(value) {
  if (!new.target) return new BSONSymbol(value);
  this.value = value;
}
define(BSONSymbol, 'BSONSymbol', {
  valueOf() { return this.value; },
  toString() { return this.value; },
  toJSON() { return this.value; },
});

function DBPointer(namespace, id) {
  if (!new.target) return new DBPointer(namespace, id);
  this.namespace = namespace;
  this.id = id;
}
define(DBPointer, 'DBPointer', {toString() { return `${this.namespace}, ${this.id}`; }});

function MinKey() { if (!new.target) return new MinKey(); }
define(MinKey, 'MinKey', {toString() { return ''; }});

function MaxKey() { if (!new.target) return new MaxKey(); }
define(MaxKey, 'MaxKey', {toString() { return ''; }});

module.exports = {
  Long, Int32, Double, ObjectId, ObjectID: ObjectId, Binary, UUID, Decimal128, Timestamp, BSONRegExp, RegExp: BSONRegExp, Code,
  BSONSymbol, DBPointer, MinKey, MaxKey,
};

// Calls share them, so that none may change them for others.
for (const type of Object.values(module.exports)) Object.freeze(Object.freeze(type).prototype);
