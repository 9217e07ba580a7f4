// Who the console is for the server. It is in memory, and in sessionStorage if that was asked for; never in a URL.

import { app } from './app.js';

const place = `gatehouse.session${app && `.${app}`}`;

export const session = {
  /** `none`, `key` or `user`. */
  kind: 'none',
  name: '',
  token: undefined,
  refresh: undefined,
  isKept: false,
};

export function enter(values, isKept) {
  Object.assign(session, { kind: 'none', name: '', token: undefined, refresh: undefined }, values, { isKept });
  keep();
}

export function leave() {
  enter({}, false);
}

/** Takes up what this tab has kept. */
export function resume() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null');
    if (kept) enter(kept, true);
  } catch {
    sessionStorage.removeItem(place);
  }
}

function keep() {
  const { kind, name, token, refresh, isKept } = session;
  if (isKept) sessionStorage.setItem(place, JSON.stringify({ kind, name, token, refresh }));
  else sessionStorage.removeItem(place);
}

export function renew(token) {
  session.token = token;
  keep();
}
