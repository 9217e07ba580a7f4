'use strict';
// `context`, as App Services gives it to functions.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const calls = require('calls');
const channel = require('channel');
const types = require('types');
const ejson = require('ejson');

// An exported app has its values beside its functions: `values/NAME.json`, `environments/TAG.json`. They are
// read once: when they change, the gateway starts a new worker. Each look at one gives a copy of its own, so that no
// call changes what another sees.
const copies = file => {
  const text = fs.readFileSync(file, 'utf8');
  return () => ejson.parse(text);
};

function once(make) {
  let made;
  return () => made ??= make();
}

// A value may be the name of a secret, which an exported app has nowhere: the operator puts it there.
function secret(folder, name) {
  if (/[\/\0]/.test(name)) throw new Error(`no name of a secret: '${name}'`);
  return fs.readFileSync(path.join(folder, name), 'utf8').replace(/\r?\n$/, '');
}

// The gateway has looked at the files: one that it cannot take is an error of those that use it.
function fail(text) {
  return () => { throw new Error(text); };
}

function values(folder, secrets, faults) {
  let files = [];
  try {
    files = fs.readdirSync(folder).filter(name => name.endsWith('.json'));
  } catch {
    // The app has no such folder.
  }
  return new Map(files.map(name => {
    const fault = faults[`values/${name}`];
    if (fault !== undefined) return [name.slice(0, -'.json'.length), fail(fault)];
    const copy = copies(path.join(folder, name));
    const {name: key, value, from_secret: isSecret} = copy();
    return [key, isSecret === true ? () => secret(secrets, value) : () => copy().value];
  }));
}

function environment(folder, tag, faults) {
  const file = `${tag || 'no-environment'}.json`;
  const fault = faults[`environments/${file}`];
  if (fault !== undefined) return fail(fault);
  try {
    const copy = copies(path.join(folder, file));
    return () => copy().values ?? {};
  } catch (error) {
    if (error.code === 'ENOENT') return () => ({});
    throw error;
  }
}

// The app that was imported says who it is; nobody else needs to know.
function app(file) {
  let known = {};
  try {
    known = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    // The app has no such file, or one that is no JSON.
  }
  const name = known.name ?? 'app';
  const clientAppId = known.app_id ?? name;
  const id = crypto.createHash('sha256').update(clientAppId).digest('hex').slice(0, 24);
  const deployment = Object.freeze({model: known.deployment_model ?? 'LOCAL', providerRegion: known.provider_region ?? known.location ?? ''});
  return Object.freeze({id, clientAppId, name, projectId: '', deployment});
}

function resolve(value, environmentValues) {
  // `%(%%environment.values.NAME)` is how a value points at the environment.
  const match = typeof value === 'string' && /^%\(%%environment\.values\.([^)]+)\)$/.exec(value);
  return match ? environmentValues()[match[1]] : value;
}

module.exports = function makeContext({directory, environment: tag, outbound, faults}, execute) {
  const beside = name => path.join(path.dirname(directory), name);
  const environmentCopies = once(() => environment(beside('environments'), tag, faults));
  const environmentValues = () => environmentCopies()();
  const globalValues = once(() => values(beside('values'), beside('auth/secrets'), faults));
  const ownApp = once(() => app(beside('realm_config.json')));
  const http = require('http')(outbound);

  // Calls share it, so that none may change it for others; who is asking is looked up each time.
  return Object.freeze({
    get user() { return calls.current().user; },
    get request() { return calls.current().request ??= channel.ask({question: 'request'}).request; },
    get app() { return ownApp(); },
    runningAsSystem: () => calls.isSystem(),
    values: Object.freeze({
      get: name => resolve(globalValues().get(name)?.(), environmentValues),
    }),
    environment: Object.freeze({
      tag,
      get values() { return environmentValues(); },
    }),
    functions: Object.freeze({execute}),
    realm: require('realm'),
    users: require('users'),
    http,
    services: Object.freeze({
      get(name) {
        return name === 'http' ? http : require('mongodb')(name);
      },
    }),
  });
};
