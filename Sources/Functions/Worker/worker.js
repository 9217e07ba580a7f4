'use strict';
// Answers calls, one after the other, until the gateway closes the channel.

const path = require('node:path');
const {format, inspect} = require('node:util');
const caller = require('caller');
const channel = require('channel');
const {ValueError} = require('bson');
const functions = require('functions');
const makeContext = require('context');

module.exports = async function run(setup) {
  const names = new Map(Object.entries(setup.functions));
  const ofSystem = new Set(setup.systemFunctions);
  let lines = [];
  let room = 0;
  let isBusy = false;

  const ask = (name, values) => channel.ask({
    question: 'execute', name, arguments: values, asSystem: caller.isSystem(),
  }).result;

  // As App Services gave it: what it returns is what the function returns, a promise if that is asynchronous.
  function execute(name, ...values) {
    const file = names.get(name);
    if (file === undefined) return ask(name, values);
    const body = functions.load(path.join(setup.directory, file));
    return caller.isSystem() || !ofSystem.has(name) ? body(...values) : caller.asSystem(() => body(...values));
  }

  const {context, renew} = makeContext(setup, execute);
  globalThis.context = context;

  function capture(level, values) {
    if (room <= 0) return;
    const text = format(...values).slice(0, room);
    room -= text.length + 1;
    lines.push({level, text: room > 0 ? text : `${text}… (the rest is left out)`});
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
    const message = error.message === '' ? error.name : error.message;
    // Only what is the function's own.
    const stack = String(error.stack).split('\n').filter(line => !line.includes('gatehouse:'));
    const isOurs = error instanceof ValueError || error instanceof functions.LoadError;
    const {rule, limit} = isOurs ? error : {rule: 'thrown'};
    return {rule, limit, message: String(message), stack: stack.join('\n')};
  }

  function withConsole(answer) {
    if (lines.length > 0) answer.console = lines;
    return answer;
  }

  function fail(error) {
    const {message, stack, ...rest} = describe(error);
    const cut = text => text?.slice(0, 8192);
    channel.answer(withConsole({error: {...rest, message: cut(message), stack: cut(stack)}}), Infinity);
  }

  function succeed(result) {
    // A document would leave it out.
    const answer = result === undefined || typeof result === 'function' ? {isUndefined: true} : {result};
    try {
      channel.answer(withConsole(answer), setup.resultBytes);
    } catch (error) {
      if (error.rule === undefined && !(error instanceof TypeError || error instanceof RangeError)) throw error;
      fail(error);
    }
  }

  // With nothing left to wait for, what the function waits for never comes.
  process.on('beforeExit', () => {
    if (isBusy) fail(new Error('The function waits for a promise that nothing will ever settle'));
    process.exit(0);
  });
  process.on('unhandledRejection', error => capture('error', ['unhandled rejection:', error]));
  process.on('uncaughtException', error => {
    if (isBusy) fail(error);
    process.exit(1);
  });

  channel.ready();
  for (;;) {
    const call = channel.nextCall();
    isBusy = true;
    lines = [];
    room = setup.consoleBytes;
    renew(call.user);
    caller.begin(call.asSystem === true);
    try {
      let result = execute(call.function, ...call.arguments);
      if (typeof result?.then === 'function') result = await result;
      succeed(result);
    } catch (error) {
      fail(error);
    }
    isBusy = false;
  }
};
