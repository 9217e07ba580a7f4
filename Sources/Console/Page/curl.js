// The line of curl that asks for what the view shows, to copy. It has `$KEY` in place of a credential.
import { button, element } from '../Base/dom.js';
import { root } from '../Base/api.js';
import { inApp } from '../Base/app.js';
import { session } from '../Base/session.js';
import { announce } from './announce.js';
import { texts } from './texts.js';

export function curlLine() {
  const code = element('code', { tabIndex: 0, role: 'region', 'aria-label': texts.curl.label });
  const copy = button(texts.curl.copy, async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      announce.say(texts.curl.copied);
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
  const bar = element('footer', { class: 'curl', hidden: true }, code, copy);
  return {
    bar,
    /** `request` is `{ method, target, type, content }`, or nothing. */
    show(request) {
      bar.hidden = !request;
      if (request) code.textContent = line(request);
    },
  };
}

export function line({ method = 'GET', target, accept, type, content }) {
  const [address, parameters = ''] = target.split(/\?(.*)/s);
  const words = ['curl'];
  if (method === 'GET' && parameters !== '') words.push('--get');
  if (method !== 'GET') words.push('-X', method);
  words.push(quoted(new URL(inApp(method === 'GET' ? address : target), root).href));
  if (session.kind !== 'none') words.push('-H', '"Authorization: Bearer $KEY"');
  if (accept) words.push('-H', quoted(`Accept: ${accept}`));
  if (type) words.push('-H', quoted(`Content-Type: ${type}`));
  if (content) words.push('-d', quoted(content));
  if (method === 'GET') {
    for (const [name, value] of new URLSearchParams(parameters)) words.push('--data-urlencode', quoted(`${name}=${value}`));
  }
  return words.join(' ');
}

const quoted = (text) => (/^[\w.:/=,-]+$/.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`);
