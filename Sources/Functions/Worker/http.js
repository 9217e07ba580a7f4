'use strict';
// `context.http`: requests to others, as App Services has them.

const tag = require('tag');
const types = require('types');
const ejson = require('ejson');

function target({url, scheme = 'https', host, path = '', query = {}, fragment}) {
  const result = new URL(url ?? `${scheme}://${host}/${path.replace(/^\//, '')}`);
  if (fragment !== undefined) result.hash = fragment;
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) result.searchParams.append(name, value);
  }
  return result;
}

function content({body, form, encodeBodyAsJSON}, headers) {
  if (form !== undefined) return new URLSearchParams(form);
  if (body === undefined) return undefined;
  if (encodeBodyAsJSON) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return ejson.stringify(body);
  }
  return tag(body) === 'Binary' ? body.buffer : body;
}

// Without what a browser would make of them: when they end, and where they belong.
function cookies(headers) {
  const lines = headers.getSetCookie?.() ?? [];
  return Object.fromEntries(lines.map(line => line.split(';', 1)[0].split('=')).map(([name, ...rest]) =>
    [name.trim(), rest.join('=')]));
}

async function send(method, options) {
  if (typeof options === 'string') options = {url: options};
  const headers = new Headers();
  for (const [name, values] of Object.entries(options.headers ?? {})) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  const {username, password = ''} = options;
  if (username !== undefined) {
    headers.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  }
  const pairs = Object.entries(options.cookies ?? {}).map(([name, value]) => `${name}=${value}`);
  if (pairs.length > 0) headers.append('cookie', pairs.join('; '));
  const answer = await fetch(target(options), {
    method, headers, body: content(options, headers),
    redirect: options.followRedirects ? 'follow' : 'manual',
  });
  const fields = {};
  for (const [name, value] of answer.headers) {
    const canonical = name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase());
    (fields[canonical] ??= []).push(value);
  }
  return {
    status: `${answer.status} ${answer.statusText}`.trim(),
    statusCode: answer.status,
    contentLength: Number(answer.headers.get('content-length') ?? -1),
    headers: fields,
    cookies: cookies(answer.headers),
    body: new types.Binary(Buffer.from(await answer.arrayBuffer())),
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head'];
module.exports = Object.freeze(
  Object.fromEntries(methods.map(name => [name, options => send(name.toUpperCase(), options)])));
