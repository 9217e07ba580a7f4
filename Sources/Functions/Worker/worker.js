'use strict';
// Answers calls, one after the other, until the gateway closes the channel.

const fs = require('node:fs');
const path = require('node:path');
const {format, inspect} = require('node:util');
const calls = require('calls');
const channel = require('channel');
const {ValueError} = require('bson');
const functions = require('functions');
const makeContext = require('context');
const ResponseWriter = require('response');
const types = require('types');
const ejson = require('ejson');

// The gateway itself. There is no custom data; code that looks for a member of it finds none.
const nobody = () => ({id: '', type: 'system', data: {}, custom_data: {}, identities: []});

// The errors that the runtime itself throws. App Services put their names before their messages.
const runtimeErrors = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function messageOf(error) {
  if (error.message === '') return error.name;
  if (!runtimeErrors.some(type => error instanceof type)) return error.message;
  // V8 says `x is not defined`, App Services' runtime `'x' is not defined`.
  const text = error instanceof ReferenceError ? error.message.replace(/^(\S+) is not defined$/, "'$1' is not defined") : error.message;
  return `${error.name}: ${text}`;
}

// Something that can be awaited outside of the call: what is asked for its `then` there would belong to none. Values
// are not awaited at all.
function settled(result) {
  if (typeof result?.then !== 'function' || result instanceof Promise) return result;
  return new Promise((succeed, fail) => { result.then(value => succeed(settled(value)), fail); });
}

module.exports = async function run(setup) {
  const names = new Map(Object.entries(setup.functions));
  const ofSystem = new Set(setup.systemFunctions);
  // The call that is being answered, if one is.
  let active;
  // Whether something that an ended call left behind has failed: the worker makes room for another one.
  let isSpent = false;

  // As App Services gave it: what it returns is what the function returns, a promise if that is asynchronous.
  function execute(name, ...values) {
    const file = names.get(name);
    if (file === undefined) return channel.ask({question: 'execute', name, arguments: values}).result;
    const body = functions.load(path.join(setup.directory, file));
    return calls.isSystem() || !ofSystem.has(name) ? body(...values) : calls.asSystem(() => body(...values));
  }

  const globals = {
    context: makeContext(setup, execute), BSON: Object.freeze(types), EJSON: Object.freeze(ejson), utils: require('utils'),
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, {value, enumerable: true});

  // Output after the end of its call goes to the log as well, but not as another call's.
  function report(values) {
    try {
      fs.writeSync(2, `${format(...values).slice(0, 8192)}\n`);
    } catch {
      // The function has closed it.
    }
  }

  function capture(level, values) {
    const call = calls.origin();
    if (!call?.isOpen) return report(values);
    if (call.room <= 0) return;
    const text = format(...values).slice(0, call.room);
    call.room -= text.length + 1;
    call.lines.push({level, text: call.room > 0 ? text : `${text}… (the rest is left out)`});
  }
  for (const level of ['debug', 'info', 'log', 'warn', 'error', 'trace']) {
    console[level] = (...values) => capture(level, values);
  }

  function describe(error) {
    if (!(error instanceof Error)) {
      return {rule: 'thrown', message: typeof error === 'string' ? error : inspect(error)};
    }
    const place = functions.place(error, setup.directory);
    if (place !== undefined) return {rule: 'syntax', message: error.message, ...place};
    // Only what is the function's own.
    const stack = String(error.stack).split('\n').filter(line => !line.includes('gatehouse:'));
    const isOurs = error instanceof ValueError || error instanceof functions.LoadError;
    const {rule, limit} = isOurs ? error : {rule: 'thrown'};
    const message = isOurs ? error.message : messageOf(error);
    return {rule, limit, message: String(message), stack: stack.join('\n')};
  }

  function answer(call, document, limit) {
    if (call.lines.length > 0) document.console = call.lines;
    channel.answer(call, document, limit);
  }

  function fail(call, error) {
    const {message, stack, ...rest} = describe(error);
    const cut = text => text?.slice(0, 8192);
    answer(call, {error: {...rest, message: cut(message), stack: cut(stack)}}, Infinity);
  }

  function succeed(call, result) {
    // A document would leave it out.
    const document = result === undefined || typeof result === 'function' ? {isUndefined: true} : {result};
    if (call.response !== undefined) document.response = call.response.document;
    try {
      answer(call, document, setup.resultBytes);
    } catch (error) {
      if (error.rule === undefined && !(error instanceof TypeError || error instanceof RangeError)) throw error;
      fail(call, error);
    }
  }

  // With nothing left to wait for, what the function waits for never comes.
  process.on('beforeExit', () => {
    if (active) fail(active, new Error('The function waits for a promise that nothing will ever settle'));
    process.exit(0);
  });
  process.on('unhandledRejection', error => capture('error', ['unhandled rejection:', error]));
  // The caller of the active call learns nothing of errors that an ended call left behind.
  process.on('uncaughtException', error => {
    const origin = calls.origin();
    if (origin !== undefined && origin === active) {
      fail(active, error);
      process.exit(1);
    }
    report(['uncaught:', error]);
    isSpent = true;
    if (origin !== undefined) return;
    if (active) fail(active, new Error('Something in the process threw an error that no call can be told to have made'));
    process.exit(1);
  });

  channel.ready();
  while (!isSpent) {
    const {id, document: {function: name, arguments: values, user, asSystem, responds}} = channel.nextCall();
    const call = active = new calls.Call(id, {...nobody(), ...user}, asSystem === true, setup.consoleBytes);
    if (responds === true) {
      call.response = new ResponseWriter();
      values.push(call.response.face);
    }
    try {
      let result = calls.run(call, () => settled(execute(name, ...values)));
      if (result instanceof Promise) result = await result;
      calls.run(call, () => succeed(call, result));
    } catch (error) {
      calls.run(call, () => fail(call, error));
    }
    call.isOpen = false;
    active = undefined;
  }
  process.exit(0);
};
