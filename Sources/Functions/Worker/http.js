'use strict';
// `context.http`: requests to others, as App Services has them.

const dns = require('node:dns');
const net = require('node:net');
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

// The addresses that may be connected to, as the gateway says; undefined: all. Like its own requests, those of functions go to private
// addresses only where these are named: URLs often come from callers.
function addressPolicy({special, allowed}) {
  const list = ranges => {
    const result = new net.BlockList();
    for (const range of ranges) {
      const [address, bits] = range.split('/');
      const version = net.isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) result.addAddress(address, version);
      else result.addSubnet(address, Number(bits), version);
    }
    return result;
  };
  // All addresses of version 6 that have been given out are in there (RFC 4291 §2.4).
  const [refused, named, global] = [list(special), list(allowed), list(['2000::/3'])];
  return address => {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
    if (mapped) address = mapped[1];
    const version = net.isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (named.check(address, version)) return true;
    return !refused.check(address, version) && (version === 'ipv4' || global.check(address, version));
  };
}

function forbidden(name) {
  const text = `${name} has a private address, which the setting outbound.allow does not name`;
  return Object.assign(new Error(text), {code: 'ForbiddenAddress'});
}

// Makes what sends the requests of fetch, and asks about the address of each connection when it is made; what a name meant before does
// not count.
async function makeDispatcher(isAllowed) {
  // Node has the class of undici's agents nowhere but in the one that fetch makes when it is first used.
  await fetch('data:,');
  const Agent = globalThis[Symbol.for('undici.globalDispatcher.1')].constructor;
  const lookup = (name, options, done) => dns.lookup(name, {...options, all: true}, (error, addresses) => {
    if (error) return done(error);
    const usable = addresses.filter(({address}) => isAllowed(address));
    if (usable.length === 0) return done(forbidden(name));
    return options.all ? done(null, usable) : done(null, usable[0].address, usable[0].family);
  });
  return new class extends Agent {
    // A literal address is not looked up.
    dispatch(options, handler) {
      const host = new URL(options.origin).hostname.replace(/^\[|\]$/g, '');
      if (net.isIP(host) !== 0 && !isAllowed(host)) throw forbidden(host);
      return super.dispatch(options, handler);
    }
  }({connect: {lookup}});
}

async function send(method, options, dispatcher) {
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
    dispatcher, method, headers, body: content(options, headers),
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
module.exports = outbound => {
  let dispatcher;
  const chosen = () => dispatcher ??= outbound === undefined ? undefined : makeDispatcher(addressPolicy(outbound));
  return Object.freeze(Object.fromEntries(methods.map(name => [
    name, async options => send(name.toUpperCase(), options, await chosen()),
  ])));
};
