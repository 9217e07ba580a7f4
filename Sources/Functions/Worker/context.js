'use strict';
// `context`, as App Services gives it to functions.

const fs = require('node:fs');
const path = require('node:path');
const caller = require('caller');
const channel = require('channel');
const types = require('types');
const ejson = require('ejson');

const read = file => ejson.parse(fs.readFileSync(file, 'utf8'));

// An exported app has its values beside its functions: `values/NAME.json`, `environments/TAG.json`. They are
// read once: when they change, the gateway starts a new worker.
function once(make) {
  let made;
  return () => made ??= {value: make()};
}

// A value may be the name of a secret, which an exported app has nowhere: the operator puts it there.
function secret(folder, name) {
  if (/[\/\0]/.test(name)) throw new Error(`no name of a secret: '${name}'`);
  return fs.readFileSync(path.join(folder, name), 'utf8').replace(/\r?\n$/, '');
}

function values(folder, secrets) {
  let files = [];
  try {
    files = fs.readdirSync(folder).filter(name => name.endsWith('.json'));
  } catch {
    // There is none.
  }
  return new Map(files.map(name => read(path.join(folder, name))).map(({name, value, from_secret: isSecret}) =>
    [name, isSecret === true ? {get: () => secret(secrets, value)} : {get: () => value}]));
}

function environment(folder, tag) {
  try {
    return read(path.join(folder, `${tag || 'no-environment'}.json`)).values ?? {};
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

function resolve(value, environment) {
  // `%(%%environment.values.NAME)` is how a value points at the environment.
  const match = typeof value === 'string' && /^%\(%%environment\.values\.([^)]+)\)$/.exec(value);
  return match ? environment[match[1]] : value;
}

module.exports = function makeContext({directory, environment: tag}, execute) {
  const beside = name => path.join(path.dirname(directory), name);
  const environmentValues = once(() => environment(beside('environments'), tag));
  const globalValues = once(() => values(beside('values'), beside('auth/secrets')));
  const call = {user: undefined, request: undefined};
  // There is no custom data; code that looks for a member of it finds none.
  const nobody = {id: '', type: 'system', data: {}, custom_data: {}, identities: []};

  const context = {
    get user() {
      return call.user;
    },
    get request() {
      return call.request ??= channel.ask({question: 'request'}).request;
    },
    runningAsSystem: () => caller.isSystem(),
    values: {get: name => resolve(globalValues().value.get(name)?.get(), environmentValues().value)},
    environment: {
      tag,
      get values() { return environmentValues().value; },
    },
    functions: {execute},
    realm: require('realm'),
    http: require('http'),
    services: {
      get(name) {
        if (name === 'http') return context.http;
        throw new Error(`service not found: '${name}'`);
      },
    },
  };
  return {
    context,
    // Forgets whom the call before was made by.
    renew(user) {
      call.user = {...nobody, ...user};
      call.request = undefined;
    },
  };
};

Object.assign(globalThis, {BSON: types, EJSON: ejson});
