// The metrics of a server as it tells them (OpenMetrics text), and how they change from one time to the next.

/** Samples by name: `{ labels, value }` each. */
export function samples(text) {
  const found = new Map();
  for (const line of text.split('\n')) {
    const match = /^([\w:]+)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match || line.startsWith('#')) continue;
    const [, name, labels = '', value] = match;
    const list = found.get(name) ?? [];
    list.push({ labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text])), value: Number(value) });
    found.set(name, list);
  }
  return found;
}

/** The sum of a metric, of those samples that are wanted. */
export const sum = (found, name, isWanted = () => true) =>
  (found.get(name) ?? []).filter(({ labels }) => isWanted(labels)).reduce((total, { value }) => total + value, 0);

/** The quantile of what a histogram has counted between two times; undefined: nothing. */
export function quantile(before, after, name, part) {
  const counts = new Map();
  for (const [found, sign] of [[after, 1], [before, -1]]) {
    for (const { labels, value } of found.get(`${name}_bucket`) ?? []) counts.set(labels.le, (counts.get(labels.le) ?? 0) + sign * value);
  }
  const buckets = [...counts].map(([bound, count]) => [bound === '+Inf' ? Infinity : Number(bound), count]).sort((left, right) => left[0] - right[0]);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  let [lower, below] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= total * part) return bound === Infinity ? lower : lower + (bound - lower) * (total * part - below) / Math.max(1, count - below);
    [lower, below] = [bound, count];
  }
  return lower;
}
