'use strict';
// Extended JSON v2 for functions: https://github.com/mongodb/specifications, `source/extended-json`.

const types = require('types');
const {namesOf} = require('bson');
const tag = require('tag');

// The first name of a document says its type.
const readers = {
  $oid: v => new types.ObjectId(v),
  $numberInt: v => Number(v) | 0,
  $numberLong: v => types.Long.fromString(v),
  $numberDouble: v => Number(v),
  $numberDecimal: v => new types.Decimal128(v),
  $date: v => new Date(typeof v === 'string' ? v : Number(v.$numberLong ?? v)),
  $uuid: v => new types.UUID(v),
  $binary: (v, all) => {
    const base64 = v.base64 ?? v;
    const subtype = parseInt(v.subType ?? all.$type ?? '0', 16);
    const bytes = Buffer.from(base64, 'base64');
    return subtype === 4 && bytes.length === 16 ? new types.UUID(bytes) : new types.Binary(bytes, subtype);
  },
  $timestamp: v => new types.Timestamp(v.t, v.i),
  $regularExpression: v => new types.BSONRegExp(v.pattern, v.options),
  $code: (v, all) => new types.Code(v, all.$scope),
  $symbol: v => new types.BSONSymbol(v),
  $dbPointer: v => new types.DBPointer(v.$ref, v.$id),
  $minKey: () => new types.MinKey(),
  $maxKey: () => new types.MaxKey(),
  $undefined: () => undefined,
};

function deserialize(value) {
  if (Array.isArray(value)) return value.map(deserialize);
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value);
  const isTyped = names.length > 0 && Object.hasOwn(readers, names[0]);
  // Values inside a type are left to the type, but for these two.
  const inner = isTyped && !['$code', '$dbPointer'].includes(names[0]) ? value : members(value, names);
  return isTyped ? readers[names[0]](inner[names[0]], inner) : inner;
}

const members = (value, names) => Object.fromEntries(names.map(name => [name, deserialize(value[name])]));

const double = value =>
  Object.is(value, -0) ? '-0.0' : Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : `${value}`;

function number(value, relaxed) {
  if (relaxed && Number.isFinite(value)) return value;
  if ((value | 0) === value && !Object.is(value, -0)) return {$numberInt: String(value)};
  return {$numberDouble: double(value)};
}

function date(value, relaxed) {
  const milliseconds = value.getTime();
  if (relaxed && milliseconds >= 0 && milliseconds < 253402300800000) {
    return {$date: value.toISOString().replace('.000Z', 'Z')};
  }
  return {$date: {$numberLong: String(milliseconds)}};
}

function typed(value, relaxed) {
  switch (tag(value)) {
    case 'Long': return relaxed && Number.isSafeInteger(value.toNumber())
      ? value.toNumber() : {$numberLong: value.toString()};
    case 'Int32': return number(value.value, relaxed);
    case 'Double': return relaxed && Number.isFinite(value.value)
      ? value.value : {$numberDouble: double(value.value)};
    case 'ObjectId': return {$oid: value.toString()};
    case 'Decimal128': return {$numberDecimal: value.toString()};
    case 'Binary': return {
      $binary: {base64: value.toBase64(), subType: value.sub_type.toString(16).padStart(2, '0')},
    };
    case 'Timestamp': return {$timestamp: {t: value.t, i: value.i}};
    case 'BSONRegExp': return {$regularExpression: {pattern: value.pattern, options: value.options}};
    case 'Code': return value.scope === undefined
      ? {$code: value.code} : {$code: value.code, $scope: serialize(value.scope, {relaxed})};
    case 'BSONSymbol': return {$symbol: value.value};
    case 'DBPointer': return {$dbPointer: {$ref: value.namespace, $id: {$oid: value.id.toString()}}};
    case 'MinKey': return {$minKey: 1};
    case 'MaxKey': return {$maxKey: 1};
    default: throw new TypeError(`unknown type ${tag(value)}`);
  }
}

function serialize(value, options) {
  const relaxed = options?.relaxed ?? true;
  if (typeof value === 'number') return number(value, relaxed);
  if (typeof value === 'bigint') return typed(types.Long.fromBigInt(value), relaxed);
  if (value === null || typeof value !== 'object') return value;
  if (tag(value) !== undefined) return typed(value, relaxed);
  if (value instanceof Date) return date(value, relaxed);
  if (Array.isArray(value)) return value.map(element => serialize(element, options));
  if (ArrayBuffer.isView(value)) return typed(new types.Binary(value), relaxed);
  return Object.fromEntries(namesOf(value).map(name => [name, serialize(value[name], options)]));
}

module.exports = {
  serialize,
  deserialize,
  parse: text => deserialize(JSON.parse(text)),
  stringify: (value, options, space) => JSON.stringify(serialize(value, options), null, space),
};
