// All views, by the first name of their address, in the order of the navigation.
import { auditView } from '../Place/audit.js';
import { changesView } from '../Live/changes.js';
import { classView } from '../Data/class.js';
import { classesView } from '../Data/classes.js';
import { createView } from '../Data/create.js';
import { functionsView } from '../Run/functions.js';
import { keysView } from '../Place/keys.js';
import { mapView } from '../Plots/map.js';
import { metricsView } from '../Place/metrics.js';
import { objectView } from '../Data/object.js';
import { plotView } from '../Plots/plot.js';
import { rolesView } from '../Place/roles.js';
import { serverView } from '../Place/server.js';
import { texts } from './texts.js';
import { transferView } from '../Data/transfer.js';
import { triggersView } from '../Run/triggers.js';
import { usersView } from '../Place/users.js';

const place = (name, show, isForAdministrators = false) =>
  ({ title: () => texts.places[name], show, isPlace: true, isForAdministrators });
const part = (show) => ({ title: ({ segments }) => segments.join(' '), show, section: '' });

export const views = {
  '': place('data', classesView),
  class: part(classView),
  object: part(objectView),
  create: part(createView),
  transfer: part(transferView),
  map: part(mapView),
  plot: part(plotView),
  changes: place('changes', changesView),
  functions: place('functions', functionsView),
  triggers: place('triggers', triggersView, true),
  metrics: place('metrics', metricsView, true),
  keys: place('keys', keysView, true),
  roles: place('roles', rolesView, true),
  users: place('users', usersView, true),
  audit: place('audit', auditView, true),
  server: place('server', serverView, true),
};
