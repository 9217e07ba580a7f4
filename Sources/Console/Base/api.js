// Requests to the gateway that the page came from, wherever a proxy has put it: all paths are relative to the page's.
import { app, inApp } from './app.js';
import { parse, stringify } from './json.js';
import { Problem } from './problem.js';
import { renew, session } from './session.js';

/** The root of the gateway, with a slash at its end. */
export const root = new URL('.', location.href.split(/[?#]/)[0]);

const appServices = 'api/client/v2.0/';

/** Tells by `ended` that a credential is none any more. */
export const ended = new EventTarget();

/** Parameters of a URL that have a value. */
export function query(parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** A path of segments, each percent-encoded. */
export const path = (...segments) => ['v1', ...segments.map((one) => encodeURIComponent(String(one)))].join('/');

/** Answers the response, or throws a problem. A user's access token is renewed once where it has ended. */
export async function send(method, target, { content, headers = {}, signal } = {}) {
  const attempt = () => fetch(new URL(inApp(target), root), {
    method, body: content, signal, credentials: 'omit', redirect: 'error', cache: 'no-store',
    headers: session.token ? { ...headers, authorization: `Bearer ${session.token}` } : headers,
  });
  let response = await attempt();
  if (response.status === 401 && session.refresh && await renewed()) response = await attempt();
  if (response.status === 401 && session.kind !== 'none') ended.dispatchEvent(new Event('ended'));
  if (!response.ok) throw await Problem.of(response);
  return response;
}

const atSession = (method) => fetch(new URL(`${appServices}auth/session`, root), {
  method, headers: { authorization: `Bearer ${session.refresh}` }, credentials: 'omit',
});

let renewal;

/** Several requests that are refused at once have one new token. */
function renewed() {
  renewal ??= atSession('POST').then(async (response) => {
    if (!response.ok) return false;
    renew((await response.json()).access_token);
    return true;
  }).catch(() => false).finally(() => { renewal = undefined; });
  return renewal;
}

/** GET of JSON. */
export async function read(target, options = {}) {
  const response = await send('GET', target, { ...options, headers: { accept: 'application/json', ...options.headers } });
  return parse(await response.text());
}

/** GET of JSON, with the fields of the answer. */
export async function readWhole(target, options) {
  const response = await send('GET', target, options);
  return {
    value: parse(await response.text()), tag: response.headers.get('etag'),
    version: response.headers.get('realm-version'), next: nextOf(response),
  };
}

/** Sends a value as JSON, and answers what comes back; undefined where nothing does. */
export async function write(method, target, value, { headers = {}, type = 'application/json' } = {}) {
  const response = await send(method, target, {
    headers: { 'content-type': type, accept: 'application/json', ...headers },
    content: value === undefined ? undefined : stringify(value),
  });
  const text = await response.text();
  return text === '' ? undefined : parse(text);
}

/** The target of the next page, relative to the root. */
function nextOf(response) {
  const found = /<\/?([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '');
  return found?.[1];
}

/** The lines of an answer as they come, several at a time. */
export async function* lines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split('\n');
      rest = parts.pop();
      if (parts.length > 0) yield parts;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (rest !== '') yield [rest];
}

/** The objects of a collection that a query has, as they come, several at a time. */
export async function* objects(name, parameters, signal) {
  const response = await send('GET', path('collections', name) + query(parameters), { headers: { accept: 'application/x-ndjson' }, signal });
  for await (const part of lines(response)) yield part.filter(Boolean).map((line) => parse(line));
}

/** The number of objects of a collection that a query has. */
export const count = async (name, parameters) =>
  (await read(path('collections', name) + query({ ...parameters, aggregate: '@count' })))['@count'];

/** Logs in by App Services' protocol, and answers what a session is made of. */
export async function logIn(provider, credentials) {
  const answer = await write('POST', `${appServices}app/${encodeURIComponent(app || 'console')}/auth/providers/${provider}/login`, credentials);
  return { kind: 'user', token: answer.access_token, refresh: answer.refresh_token, user: answer.user_id };
}

/** Ends the session of a user at the server as well. */
export function logOut() {
  if (!session.refresh) return Promise.resolve();
  return atSession('DELETE').catch(() => {});
}
