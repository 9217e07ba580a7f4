const fs = require('node:fs');
const packet = Buffer.alloc(65536);
let bytes = Buffer.alloc(0);
do {
  const count = fs.readSync(3, packet);
  if (count === 0) process.exit(0);
  bytes = Buffer.concat([bytes, packet.subarray(0, count)]);
} while (bytes.length < bytes.readUInt32LE() + 4);
const setup = JSON.parse(bytes.toString('utf8', 21));
if (parseInt(process.versions.node) < 18) {
  console.error(`Node ${process.versions.node} is too old: functions need 18 or later.`);
  process.exit(1);
}
const modules = {};
const load = name => {
  if (!Object.hasOwn(setup.sources, name)) return require(name);
  if (modules[name] === undefined) {
    const module = modules[name] = {exports: {}};
    const script = new (require('node:vm').Script)(
      `(function (require, module) {${setup.sources[name]}\n})`, {filename: `gatehouse:${name}.js`});
    script.runInThisContext()(load, module);
  }
  return modules[name].exports;
};
load('worker')(setup);
