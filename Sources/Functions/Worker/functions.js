'use strict';
// Loads functions from their files: `exports = function (…) {…}`, and `module.exports = …` as well.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const {createRequire} = require('node:module');

class LoadError extends Error {
  constructor(rule, message) {
    super(message);
    this.rule = rule;
  }
}

const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
const options = {importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER};

function evaluate(file) {
  const source = fs.readFileSync(file, 'utf8').replace(/^#!.*/, '');
  // By itself first: the line that is added must not be the one that a syntax error is in.
  vm.compileFunction(source, parameters, {filename: file, ...options});
  const body = vm.compileFunction(`${source}\n;return exports;`, parameters, {filename: file, ...options});
  const module = {exports: {}};
  const exported = body.call(
    module.exports, module.exports, createRequire(file), module, file, path.dirname(file));
  return typeof exported === 'function' ? exported : module.exports;
}

const loaded = new Map();

module.exports.LoadError = LoadError;

// The function of that file.
module.exports.load = function load(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const exported = evaluate(file);
  if (typeof exported !== 'function') throw new LoadError('notAFunction', 'The file does not export a function');
  loaded.set(file, exported);
  return exported;
};

// Where a syntax error is: V8 begins the stack with file and line.
module.exports.place = function place(error, directory) {
  if (!(error instanceof SyntaxError)) return undefined;
  const match = /^(\/.*):(\d+)$/m.exec(String(error.stack).split('\n', 1)[0]);
  return match ? {file: path.relative(directory, match[1]), line: Number(match[2])} : undefined;
};
