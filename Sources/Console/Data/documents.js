// Documents of schemaless classes: what names them in paths, and the columns that they have.
import { stringify } from '../Base/json.js';
import { Property } from '../Base/schema.js';

/** More columns than that are of no use to anybody. */
const mostColumns = 60;

/** A text for the identifier of an object of any class, which is the same for equal ones. */
export const keyText = (key) => (key !== null && typeof key === 'object' ? stringify(key) : key);

/** Whether an identifier is a document, and no value that Extended JSON spells as one. */
export const isDocument = (key) => key !== null && typeof key === 'object' && !Object.keys(key).some((name) => name.startsWith('$'));

/** An identifier as a segment of a path. */
export function segment(type, key) {
  if (!type?.isSchemaless) return String(key);
  if (typeof key === 'bigint' || Number.isSafeInteger(key)) return String(key);
  if (key && typeof key === 'object' && Object.keys(key).length === 1 && ('$oid' in key || '$uuid' in key)) return key.$oid ?? key.$uuid;
  if (typeof key === 'string' && key !== '' && !/^(~.*|[+-]?\d+|[0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/is.test(key) && !/[\0-\x1f\x7f]/.test(key)) return key;
  const bytes = new TextEncoder().encode(stringify(canonical(key)));
  return `~${btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** A value as canonical Extended JSON spells it. */
function canonical(value) {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return { $numberLong: String(value) };
  if (typeof value === 'number') return { $numberDouble: String(value) };
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value.$date === 'string') return { $date: { $numberLong: String(new Date(value.$date).getTime()) } };
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, canonical(one)]));
}

/** The columns, and one for each field of some documents that there is none of. */
export function widened(columns, documents) {
  const names = new Set(documents.flatMap((document) => Object.keys(document ?? {})));
  const others = [...names].filter((name) => !columns.some((column) => column.name === name));
  return [...columns, ...others.slice(0, Math.max(0, mostColumns - columns.length)).map((name) => new Property(name, 'mixed'))];
}
