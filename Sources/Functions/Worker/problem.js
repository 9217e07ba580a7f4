'use strict';
// The text of a problem that the gateway answers with, and of each fault in it.

module.exports = ({detail, errors}) =>
  detail + (errors ?? []).map(fault => `; ${fault.pointer ?? ''} ${fault.detail}`).join('');
