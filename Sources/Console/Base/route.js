// The view that is shown stands behind the `#`: names of segments, then parameters. The server never sees it.

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
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const rest = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${[name, ...segments].map((one) => encodeURIComponent(String(one))).join('/')}${rest}`;
}

export function go(...place) {
  location.hash = to(...place);
}
