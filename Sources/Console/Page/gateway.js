// The server as views know it: the classes, the event stream, and whether the caller administrates it.
import { path, read, send } from '../Base/api.js';
import { Live } from '../Base/live.js';
import { Schema } from '../Base/schema.js';

export class Gateway {
  live = new Live();
  schema;
  isAdministrator = false;

  /** Throws the problem 401 where the server shows nothing to the caller. */
  static async open() {
    const gateway = new Gateway();
    const [notation, isAdministrator] = await Promise.all([read(path('schema')), mayAdministrate()]);
    gateway.schema = new Schema(notation);
    gateway.isAdministrator = isAdministrator;
    return gateway;
  }

  async refreshSchema() {
    this.schema = new Schema(await read(path('schema')));
  }
}

async function mayAdministrate() {
  try {
    await send('HEAD', path('keys'));
    return true;
  } catch {
    return false;
  }
}
