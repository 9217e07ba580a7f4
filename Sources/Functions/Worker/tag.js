'use strict';
// Gives the name of an object's type where it is one of BSON's, from this or another implementation, and undefined where
// it is none. The name stands in the type's prototype: a document of a client may have a member of that name, and stays a
// document.

module.exports = value =>
  typeof value === 'object' && value !== null && !Object.hasOwn(value, '_bsontype') ? value._bsontype : undefined;
