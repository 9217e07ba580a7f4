'use strict';
// Frames to and from the gateway: the length of what follows (4 bytes, little-endian), a byte that says the kind, the
// call that it belongs to (16 bytes), and a payload.
//
// Calls come, and answers and questions go, through a socket that keeps packets as they are: a frame is in one, or in
// as many as it takes. So a call is read when it is begun and not before, and the gateway can take it back until
// then. Replies come through a socket of their own, past the calls that wait.
//
// Reading and writing block. One call is answered at a time, so there is nothing else to do meanwhile, and a
// question to the gateway has its reply when `ask` returns.

const fs = require('node:fs');
const {Writer, decode} = require('bson');
const calls = require('calls');

const requests = 3;
const replies = 4;
const header = 21;
const packetSize = 65536;
const kinds = {setup: 0x53, call: 0x43, answer: 0x41, question: 0x51, reply: 0x52};

let buffer = Buffer.allocUnsafe(2 * packetSize);
const writer = new Writer();
// Getters of what is being written may ask for something, and so do its cursors.
let isWriting = false;

// Without the gateway there is nothing left to do.
function attempt(call, ...values) {
  try {
    return call(...values);
  } catch {
    process.exit(1);
  }
}

function reserve(count, filled) {
  if (buffer.length >= count && (buffer.length <= 1 << 20 || count > 1 << 20)) return;
  const larger = Buffer.allocUnsafe(Math.max(2 * packetSize, count));
  buffer.copy(larger, 0, 0, filled);
  buffer = larger;
}

// The next frame's call and document. Bytes of the buffer that they keep are copies.
function receive(descriptor, kind, longs) {
  let filled = 0;
  let end = header;
  while (filled < end) {
    // There is room for a packet always: what does not fit would be lost.
    reserve(end + packetSize, filled);
    const room = descriptor === requests ? packetSize : end - filled;
    const read = attempt(fs.readSync, descriptor, buffer, filled, room, null);
    // The gateway has closed it, or is gone.
    if (read === 0) process.exit(0);
    filled += read;
    if (filled >= header) end = buffer.readUInt32LE(0) + 4;
  }
  if (buffer[4] !== kind) throw new Error('a frame of another kind');
  return {id: Buffer.from(buffer.subarray(5, header)), document: decode(buffer, header, longs)};
}

function write(writer, document, limit, readsCursors) {
  const wasWriting = isWriting;
  isWriting = true;
  try {
    writer.reset(header);
    writer.readsCursors = readsCursors;
    writer.limit = limit;
    writer.document(document);
    writer.check();
    return writer;
  } finally {
    isWriting = wasWriting;
  }
}

function send(kind, id, document, limit) {
  const {bytes, position: end} = write(isWriting ? new Writer() : writer, document, limit, kind === kinds.answer);
  bytes.writeUInt32LE(end - 4, 0);
  bytes[4] = kind;
  bytes.set(id, 5);
  for (let written = 0; written < end;) {
    written += attempt(fs.writeSync, requests, bytes, written, Math.min(packetSize, end - written));
  }
}

module.exports = {
  // All modules that are needed have been loaded.
  ready: () => send(kinds.setup, Buffer.alloc(16), {}, Infinity),
  nextCall: () => receive(requests, kinds.call, true),
  answer: (call, document, limit) => send(kinds.answer, call.id, document, limit),

  // Asks the gateway for something, for the call that the code belongs to.
  ask(question) {
    send(kinds.question, calls.open().id, {...question, asSystem: calls.isSystem()}, Infinity);
    const {failure, ...reply} = receive(replies, kinds.reply, true).document;
    if (failure === undefined) return reply;
    const error = new Error(failure.message);
    if (failure.code !== undefined) error.code = failure.code;
    throw error;
  },
};
