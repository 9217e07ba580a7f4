// A request that was refused: what the server's problem details say (RFC 9457), or App Services' form of an error.
import { element } from './dom.js';
import { parse } from './json.js';
import { texts } from '../Page/texts.js';

export class Problem extends Error {
  constructor(status, members) {
    super(members.detail ?? members.error ?? members.title ?? texts.problem.status(status));
    this.status = status;
    this.code = members.code ?? members.error_code ?? '';
    this.offset = members.offset;
    this.errors = members.errors ?? [];
    this.members = members;
  }

  static async of(response) {
    const text = await response.text();
    let members = {};
    try {
      members = parse(text);
    } catch {
      members = { detail: text.slice(0, 500) };
    }
    return new Problem(response.status, members);
  }
}

/** A line that says why something was refused. */
export const refusal = (error) => element('p', { class: 'problem', role: 'alert' }, sentence(error));

/** The sentence of whatever was thrown. */
export const sentence = (error) =>
  error instanceof Problem ? error.message : error instanceof TypeError ? texts.problem.unreachable : String(error?.message ?? error);
