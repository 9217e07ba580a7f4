// One event stream for all that the page watches, read by fetch (POST /v1/streams). It comes back where it was after a lost
// connection, and a server that was restarted.
import { lines, path, send, write } from './api.js';
import { parse } from './json.js';

export class Live extends EventTarget {
  #subscriptions = new Map();
  #stream;
  #abort;
  #isOpening = false;
  #attempts = 0;
  #count = 0;
  /** `idle`, `open` or `lost`. */
  state = 'idle';

  /** Watches a URL below `v1`. `handle` gets the name and the data of each event; answers how to end it. */
  watch(url, handle) {
    const name = `s${this.#count++}`;
    const subscription = { name, url: `/v1/${url}`, handle, position: undefined };
    this.#subscriptions.set(name, subscription);
    if (this.#stream) this.#add(subscription);
    else this.#open();
    return () => this.#remove(name);
  }

  close() {
    this.#subscriptions.clear();
    this.#end();
  }

  async #add(subscription) {
    try {
      await write('POST', path('streams', this.#stream, 'subscriptions'), [this.#request(subscription)]);
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 404) this.#refuse(subscription, error);
      else this.#again();
    }
  }

  #remove(name) {
    if (!this.#subscriptions.delete(name)) return;
    if (this.#subscriptions.size === 0) this.#end();
    else if (this.#stream) send('DELETE', path('streams', this.#stream, 'subscriptions', name)).catch(() => {});
  }

  #request({ name, url, position }) {
    return position === undefined ? { name, url } : { name, url, lastEventId: position };
  }

  #refuse(subscription, error) {
    this.#subscriptions.delete(subscription.name);
    subscription.handle('refused', { detail: error.message });
  }

  async #open() {
    if (this.#isOpening || this.#subscriptions.size === 0) return;
    this.#isOpening = true;
    const abort = this.#abort = new AbortController();
    const requested = [...this.#subscriptions.values()];
    try {
      const response = await send('POST', path('streams'), {
        signal: abort.signal, headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        content: JSON.stringify(requested.map((one) => this.#request(one))),
      });
      await this.#read(response, requested);
    } catch (error) {
      const index = /^\/(\d+)/.exec(error.errors?.[0]?.pointer ?? '')?.[1];
      if (index !== undefined && requested[index]) this.#refuse(requested[index], error);
      else if ([401, 403].includes(error.status)) this.#subscriptions.clear();
    }
    if (abort.signal.aborted) return;
    this.#stream = undefined;
    this.#isOpening = false;
    this.#show(this.#subscriptions.size === 0 ? 'idle' : 'lost');
    // A second, two, four, eight at most.
    setTimeout(() => this.#open(), Math.min(8000, 500 * 2 ** this.#attempts++));
  }

  async #read(response, requested) {
    let [event, id, data] = ['message', undefined, ''];
    for await (const part of lines(response)) {
      for (const line of part) {
        if (line.startsWith('event: ')) event = line.slice(7);
        else if (line.startsWith('id: ')) id = line.slice(4);
        else if (line.startsWith('data: ')) data = line.slice(6);
        else if (line === '') {
          if (data !== '') this.#take(event, id, parse(data), requested);
          [event, id, data] = ['message', undefined, ''];
        }
      }
    }
  }

  #take(event, id, data, requested) {
    if (event === 'stream') {
      this.#stream = data.stream;
      this.#attempts = 0;
      this.#show('open');
      // The ones that came while it was opened are added.
      for (const one of this.#subscriptions.values()) if (!requested.includes(one)) this.#add(one);
      return;
    }
    if (event === 'version') {
      for (const one of this.#subscriptions.values()) if (one.isReady) one.position = id;
      this.dispatchEvent(new CustomEvent('version', { detail: data.version }));
      return;
    }
    const subscription = this.#subscriptions.get(data.subscription);
    if (!subscription) return;
    if (id !== undefined) subscription.position = id;
    if (event === 'ready') {
      subscription.isReady = true;
      subscription.position ??= data.position;
    }
    if (event === 'end') this.#subscriptions.delete(data.subscription);
    subscription.handle(event, data);
  }

  #again() {
    this.#end();
    this.#open();
  }

  #end() {
    this.#abort?.abort();
    this.#stream = undefined;
    this.#isOpening = false;
    this.#show('idle');
  }

  #show(state) {
    this.state = state;
    this.dispatchEvent(new Event('state'));
  }
}
