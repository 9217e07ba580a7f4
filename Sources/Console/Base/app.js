// The app whose console this is, which the page's address names; '': the default database.
export const app = new URLSearchParams(location.search).get('app') ?? '';

/** The target of a resource as the app has it, relative to the server's root. Links of answers have the app in them. */
export function inApp(target) {
  if (app === '' || target.startsWith('v1/apps/')) return target;
  const place = `v1/apps/${encodeURIComponent(app)}/`;
  return target === 'metrics' ? `${place}metrics` : target.replace(/^v1\//, place);
}
