// JSON with whole numbers of 64 bits: those that a number of JavaScript cannot hold are BigInts, both ways.

export function parse(text) {
  // Only texts with a long run of digits need the slower way.
  return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(key, value, context) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

export function stringify(value, space) {
  return JSON.stringify(value, (key, part) => (typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part), space);
}
