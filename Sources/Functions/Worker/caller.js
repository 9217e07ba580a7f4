'use strict';
// Whether what happens is done as the gateway itself (`run_as_system`), or as the caller.

const {AsyncLocalStorage} = require('node:async_hooks');

// Made when the first function runs as the system within one that doesn't: it makes promises slower.
let storage;
let isSystem = false;

module.exports = {
  begin(asSystem) { isSystem = asSystem; },
  isSystem: () => isSystem || storage?.getStore() === true,
  asSystem: body => (storage ??= new AsyncLocalStorage()).run(true, body),
};
