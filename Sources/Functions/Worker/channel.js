'use strict';
// Frames on the socket to the gateway: the length of what follows (4 bytes, little-endian), a byte that says the
// kind, and a payload.
//
// Reading and writing block. One call is answered at a time, so there is nothing else to do meanwhile, and a
// question to the gateway has its reply when `ask` returns.

const fs = require('node:fs');
const {Writer, decode} = require('bson');

const descriptor = 3;
const kinds = {setup: 0x53, call: 0x43, answer: 0x41, question: 0x51, reply: 0x52};

let buffer = Buffer.allocUnsafe(65536);
let filled = 0;
const writer = new Writer();

// Without the channel there is nothing left to do.
function attempt(call, ...values) {
  try {
    return call(...values);
  } catch {
    process.exit(1);
  }
}

function fill(count) {
  if (buffer.length < count || (buffer.length > 1 << 20 && count < 65536)) {
    const larger = Buffer.allocUnsafe(Math.max(65536, count));
    buffer.copy(larger, 0, 0, filled);
    buffer = larger;
  }
  while (filled < count) {
    const read = attempt(fs.readSync, descriptor, buffer, filled, buffer.length - filled, null);
    // The gateway has closed it, or is gone.
    if (read === 0) process.exit(0);
    filled += read;
  }
}

// The next frame's document. Bytes of the buffer that it keeps are copies.
function receive(kind, longs) {
  fill(5);
  const end = buffer.readUInt32LE(0) + 4;
  fill(end);
  if (buffer[4] !== kind) throw new Error('a frame of another kind');
  const document = decode(buffer, 5, longs);
  buffer.copyWithin(0, end, filled);
  filled -= end;
  return document;
}

function send(kind, document, limit) {
  writer.reset(5);
  writer.limit = limit;
  writer.document(document);
  writer.check();
  const {bytes, position: end} = writer;
  bytes.writeUInt32LE(end - 4, 0);
  bytes[4] = kind;
  for (let written = 0; written < end;) {
    written += attempt(fs.writeSync, descriptor, bytes, written, end - written);
  }
}

module.exports = {
  // What is needed is loaded.
  ready: () => send(kinds.setup, {}, Infinity),
  nextCall: () => receive(kinds.call, true),
  answer: (document, limit) => send(kinds.answer, document, limit),

  // Asks the gateway for something.
  ask(document) {
    send(kinds.question, document, Infinity);
    const {failure, ...reply} = receive(kinds.reply, true);
    if (failure === undefined) return reply;
    const error = new Error(failure.message);
    if (failure.code !== undefined) error.code = failure.code;
    throw error;
  },
};
