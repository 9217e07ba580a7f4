// All views, by the first name of their address, in the order of the navigation. A view's module is loaded when the view is shown.
import { app } from '../Base/app.js';
import { texts } from './texts.js';

const shown = (load) => async (...values) => (await load()).view(...values);
const place = (name, load, isForAdministrators = false) =>
  ({ title: () => texts.places[name], show: shown(load), isPlace: true, isForAdministrators });
const part = (load) => ({ title: ({ segments }) => segments.join(' '), show: shown(load), section: '' });

export const views = {
  '': place('data', () => import('../Data/classes.js')),
  class: part(() => import('../Data/class.js')),
  object: part(() => import('../Data/object.js')),
  create: part(() => import('../Data/create.js')),
  transfer: part(() => import('../Data/transfer.js')),
  map: part(() => import('../Plots/map.js')),
  plot: part(() => import('../Plots/plot.js')),
  changes: place('changes', () => import('../Live/changes.js')),
  functions: place('functions', () => import('../Run/functions.js')),
  triggers: place('triggers', () => import('../Run/triggers.js'), true),
  metrics: place('metrics', () => import('../Place/metrics.js'), true),
  keys: place('keys', () => import('../Place/keys.js'), true),
  roles: place('roles', () => import('../Place/roles.js'), true),
  users: place('users', () => import('../Place/users.js'), true),
  audit: place('audit', () => import('../Place/audit.js'), true),
  server: place('server', () => import('../Place/server.js'), true),
  // An app has none in it.
  ...(app === '' ? { apps: place('apps', () => import('../Place/apps.js'), true) } : {}),
};
