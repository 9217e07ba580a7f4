'use strict';
// The second argument of functions that answer HTTP requests: what they say of the response, as App Services has it.

const tag = require('tag');

module.exports = class ResponseWriter {
  #status = undefined;
  #fields = [];
  #body = undefined;

  // The object that the function gets.
  get face() {
    return Object.freeze({
      setStatusCode: code => {
        if (!Number.isInteger(code) || code < 200 || code > 599) throw new RangeError('a status code is a number from 200 to 599');
        this.#status = code;
      },
      setHeader: (name, value) => {
        const lower = String(name).toLowerCase();
        this.#fields = this.#fields.filter(field => field.name !== lower);
        this.#add(lower, value);
      },
      addHeader: (name, value) => this.#add(String(name).toLowerCase(), value),
      setBody: body => {
        if (typeof body === 'string') this.#body = body;
        else if (tag(body) === 'Binary') this.#body = body;
        else if (ArrayBuffer.isView(body)) this.#body = body;
        else throw new TypeError('a body is a string or a BSON.Binary');
      },
    });
  }

  #add(name, value) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw new TypeError('a header has a token as its name');
    const text = String(value);
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(text)) throw new TypeError('a header has no control characters');
    this.#fields.push({name, value: text});
  }

  // The document that the gateway gets; a member that was not set is left out.
  get document() {
    const document = {fields: this.#fields};
    if (this.#status !== undefined) document.status = this.#status;
    if (this.#body !== undefined) document.body = this.#body;
    return document;
  }
};
