// The view that is shown stands behind the `#`: names of segments, then parameters. The server never sees it.
import { query } from './api.js';

/** `#/class/City?sort=name` as `{ name: 'class', segments: ['City'], parameters: { sort: 'name' } }`. */
export function current() {
  const [address, parameters = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [name = '', ...segments] = address.split('/').map(decode);
  return { name, segments, parameters: Object.fromEntries(new URLSearchParams(parameters)) };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a view. */
export function to(name, segments = [], parameters = {}) {
  return `#/${[name, ...segments].map((one) => encodeURIComponent(String(one))).join('/')}${query(parameters)}`;
}

export function go(...place) {
  location.hash = to(...place);
}
