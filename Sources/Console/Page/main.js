// The frame of the console: who is there, the places to go to, and the view that stands behind the address.
import { ended, logOut, root } from '../Base/api.js';
import { app } from '../Base/app.js';
import { button, element, link } from '../Base/dom.js';
import { current, to } from '../Base/route.js';
import { leave, resume, session } from '../Base/session.js';
import { refusal } from '../Base/problem.js';
import { announce } from './announce.js';
import { curlLine } from './curl.js';
import { enterView } from './enter.js';
import { Gateway } from './gateway.js';
import { texts } from './texts.js';
import { views } from './views.js';

const live = element('span', { class: 'live', role: 'status' });
const navigation = element('nav', { 'aria-label': texts.frame.navigation });
const person = element('div', { class: 'person' });
const main = element('main', { id: 'main', tabIndex: 0 });
const curl = curlLine();

let gateway;
/** Ends the view that is shown. */
let end = () => {};
let shown = 0;

document.body.append(
  button(texts.frame.skip, () => main.focus(), { class: 'skip' }),
  element('header', {}, link(texts.frame.name, '#/', { class: 'brand' }), navigation, live, person),
  main, curl.bar, announce.region);
addEventListener('hashchange', show);
ended.addEventListener('ended', () => { if (gateway) begin(); });
resume();
await begin();

/** Finds out what the server shows to whoever is there, and asks who it is where that is nothing. */
export async function begin() {
  gateway?.live.close();
  gateway = undefined;
  try {
    gateway = await Gateway.open();
  } catch (error) {
    navigation.replaceChildren();
    person.replaceChildren();
    end();
    end = () => {};
    curl.show();
    enterView(main, { error: error.status === 401 && session.kind === 'none' ? undefined : error, entered: begin });
    return;
  }
  gateway.live.addEventListener('state', showLive);
  showPerson();
  await show();
}

async function show() {
  if (!gateway) return;
  const route = current();
  if (route.name === 'enter') return ask();
  const view = views[route.name] ?? views[''];
  const number = ++shown;
  end();
  end = () => {};
  showNavigation(route.name);
  main.setAttribute('aria-busy', 'true');
  const place = element('div', { class: 'view' });
  main.replaceChildren(place);
  curl.show();
  document.title = `${view.title(route)} – ${texts.frame.name}`;
  try {
    const ending = await view.show(place, { ...route, gateway, curl: (request) => curl.show(request) });
    if (number === shown) end = ending ?? (() => {});
    else ending?.();
  } catch (error) {
    if (error.status === 401) return begin();
    place.append(refusal(error));
  }
  if (number === shown) main.removeAttribute('aria-busy');
}

function ask() {
  end();
  end = () => {};
  enterView(main, { entered: () => { location.hash = '#/'; return begin(); } });
}

function showNavigation(name) {
  const section = views[name]?.section ?? name;
  navigation.replaceChildren(...Object.entries(views)
    .filter(([, view]) => view.isPlace && (!view.isForAdministrators || gateway.isAdministrator))
    .map(([key, view]) => link(view.title({ segments: [] }), to(key), key === section ? { 'aria-current': 'page' } : {})));
}

function showPerson() {
  const name = session.kind === 'none' ? texts.frame.nobody : session.name;
  person.replaceChildren(
    app === '' ? '' : element('span', {}, app, ' ', link(texts.frame.leaveApp, root.href + 'console#/apps')),
    element('span', { title: root.href }, name),
    session.kind === 'none'
      ? link(texts.frame.enter, to('enter'))
      : button(texts.frame.leave, async () => {
        await logOut();
        leave();
        location.hash = '#/';
        await begin();
      }));
}

function showLive() {
  live.textContent = texts.live.state[gateway.live.state];
  live.className = `live ${gateway.live.state}`;
}
