'use strict';
// The call that code belongs to, wherever it runs: code behind a promise, in a timer or in a callback belongs to the
// call that started it, also once that has ended and another caller's is being answered.

const {AsyncLocalStorage} = require('node:async_hooks');

const storage = new AsyncLocalStorage();

class CallEnded extends Error {
  code = 'CallEnded';

  constructor() {
    super('The call that this code belongs to has ended');
  }
}

class Call {
  isOpen = true;
  request = undefined;
  // The response that it makes, where it answers an HTTP request.
  response = undefined;
  // The lines that it has written to its console, and how many more characters it may write.
  lines = [];

  constructor(id, user, isSystem, room) {
    this.id = id;
    this.user = user;
    this.isSystem = isSystem;
    this.room = room;
  }
}

function scope() {
  const scope = storage.getStore();
  if (scope === undefined) throw new Error('This code belongs to no call: AsyncResource.bind keeps a callback in its call');
  return scope;
}

module.exports = {
  Call,
  run: (call, body) => storage.run({call, isSystem: call.isSystem}, body),

  // The call that the running code belongs to, or undefined; it may have ended.
  origin: () => storage.getStore()?.call,
  current: () => scope().call,

  // The call that may ask the gateway for something now. Throws where it has ended.
  open() {
    const {call} = scope();
    if (!call.isOpen) throw new CallEnded();
    return call;
  },

  // Whether what happens is done as the gateway itself (`run_as_system`), or as the caller.
  isSystem: () => scope().isSystem,
  asSystem: body => storage.run({call: scope().call, isSystem: true}, body),
};
