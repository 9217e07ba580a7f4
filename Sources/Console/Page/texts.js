// All texts of the console. Another language is another file with the same members.

const plural = (count, one, many) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const texts = {
  frame: {
    name: 'Gatehouse', navigation: 'Places', skip: 'To the content', nobody: 'Without a key', enter: 'Enter…', leave: 'Leave', leaveApp: 'All apps',
  },
  places: {
    data: 'Data', changes: 'Changes', functions: 'Functions', triggers: 'Triggers', metrics: 'Metrics', keys: 'Keys', roles: 'Roles', users: 'Users', audit: 'Audit', server: 'Server', apps: 'Apps',
  },
  enter: {
    title: 'Enter', key: 'With an API key', keyLabel: 'API key', keyHint: 'It stays in this tab, and is in no URL.', keyName: (key) => `Key ${key.split('_')[1]?.slice(0, 8) ?? ''}`,
    user: 'As a user', email: 'Email', password: 'Password', keep: 'Keep it until the tab is closed', anonymous: 'As an anonymous user', anonymousName: 'Anonymous user', submit: 'Enter',
  },
  problem: {
    status: (status) => `The server answered ${status}.`, unreachable: 'The server cannot be reached.',
  },
  live: {
    state: { idle: '', open: 'Live', lost: 'Connecting…' }, refused: (why) => `The view is not live: ${why}`,
  },
  dialog: { cancel: 'Cancel' },
  curl: { label: 'The same by curl', copy: 'Copy', copied: 'The line is in the clipboard.' },
  value: {
    nothing: 'null', empty: 'empty', elements: (count, some) => `[${count}] ${some}`, entries: (count, some) => `{${count}} ${some}`,
    bytes: (count) => plural(count, 'byte', 'bytes'), count: (count) => plural(count, 'element', 'elements'),
  },
  data: {
    classes: 'Classes', classHeads: ['Class', 'Objects', 'Key', 'Properties'], graph: 'Schema', graphLabel: 'The classes as boxes, their links as arrows',
    notation: 'Notation', more: (count) => `${count} more`, noClass: (name) => `There is no class “${name}”.`, none: 'There are no objects.', loading: 'Loading…',
    count: (count, isLoading) => `${plural(count, 'object', 'objects')}${isLoading ? '…' : ''}`,
    create: 'Create', transfer: 'Import, export', map: 'Map', plot: 'Plot',
  },
  filter: { label: 'Filter in Realm Query Language', placeholder: 'population > 1000000 AND name BEGINSWITH "G"', completions: 'Completions' },
  explain: {
    title: 'How it is answered', filter: 'As it was understood', indexes: 'Indexes', inMemory: 'In memory', rows: 'Looked at',
    rowsOf: (rows, objects) => `about ${rows.toLocaleString()} of ${plural(objects, 'object', 'objects')}`, steps: 'Steps', sql: 'Statement', hints: 'Hints', none: 'none',
  },
  edit: {
    edit: 'Edit', editName: (name) => `Edit ${name}`, save: 'Save', fixed: (name) => `“${name}” cannot be changed.`, file: (name) => `File for ${name}`, isNothing: (name) => `${name} is null`,
    notWhole: 'That is no whole number.', notNumber: 'That is no number.', notJSON: (why) => `That is no JSON: ${why}`,
    conflict: 'The object was changed meanwhile', conflictText: 'Somebody else has changed the object since you began. Nothing of yours is written yet.',
    theirs: 'Their change', yours: 'Your change', overwrite: 'Write mine', keepTheirs: 'Keep theirs',
  },
  difference: { heads: ['Property', 'Before', 'After'], none: 'No difference' },
  object: {
    caption: 'Properties', tag: (tag) => `ETag ${tag}`, linking: 'Objects that link here', noLinks: 'No class has links to this one.', remove: 'Delete',
    removeText: (type, id) => `${type} ${id} will be deleted.`, embedded: (names) => `With it go the embedded objects in ${names}.`, nulled: 'Links to it become null, and lists lose them:',
    removed: 'Deleted.', deleted: 'The object was deleted.', changedMeanwhile: 'The object was changed meanwhile.', download: 'Download',
  },
  create: { submit: 'Create', done: 'Created.' },
  transfer: {
    export: 'Export', all: 'All objects of the class.', filtered: (filter) => `The objects that match ${filter}`, exported: 'Exported.', import: 'Import', file: 'File (NDJSON, CSV, JSON)',
    mode: 'Where the key is taken', modes: { error: 'refuse all', modified: 'write properties that differ', all: 'write all that is given' }, start: 'Import', running: 'Running…',
    imported: (count, seconds) => `${plural(count, 'object', 'objects')} in ${seconds.toFixed(1)} s.`, faults: 'Faults', faultHeads: ['Line', 'Where', 'Fault'],
  },
  map: {
    none: 'The class has no location: an embedded object with coordinates, or latitude and longitude.', equal: 'equal', size: 'Size', closer: 'Closer', farther: 'Farther', whole: 'World',
    label: 'Map of the objects; arrows move it, + and − zoom', count: (count) => `${plural(count, 'object', 'objects')} with a location`,
  },
  plot: { property: 'Property', log: 'Logarithmic', title: (name, count) => `${name} of ${plural(count, 'object', 'objects')}`, aggregates: 'Aggregates', heads: ['Aggregate', 'Value'] },
  changes: {
    everything: 'everything', class: 'Class', newest: 'Newest', none: 'No changes are kept.', timeline: 'Commits, the newest at the right', commit: (version) => `Version ${version}`,
    count: (count) => ` ${plural(count, 'change', 'changes')}`, more: (count) => `${count} more`, operations: { insert: 'Inserted', update: 'Updated', delete: 'Deleted', schema: 'Schema' },
  },
  undo: { title: 'Undo', text: 'This is written, as a change of its own:', done: 'Undone.' },
  functions: {
    none: 'There are no functions that you may call.', private: 'private', disabled: 'disabled', arguments: 'Arguments (a JSON array)', call: 'Call', running: 'Running…', console: 'Console',
    duration: (milliseconds) => `${milliseconds.toFixed(0)} ms`, limits: { seconds: 'seconds', megabytes: 'megabytes', concurrency: 'at once' },
  },
  server: {
    work: 'Work on the store', workHeads: ['Task', 'State', 'Progress', 'Time', 'Begun', 'Result', ''], tasks: { check: 'Check', backup: 'Backup', compact: 'Compact' },
    states: { idle: 'Not begun', running: 'Running', done: 'Done', failed: 'Failed' }, begin: 'Begin', fine: 'No faults', seconds: (seconds) => `${seconds.toFixed(1)} s`,
    slow: 'Slow queries', slowHeads: ['Time', 'Class', 'Milliseconds', 'Steps', ''], noneSlow: 'No query has taken long.',
    settings: 'Settings', settingHeads: ['Name', 'In force', 'Default', 'From', ''], filter: 'Search', changed: 'Only what somebody has set', secret: '(secret)',
    sources: { default: 'default', file: 'file', environment: 'environment', flag: 'command line' }, live: 'at once',
  },
  triggers: {
    none: 'There are no triggers.', heads: ['Name', 'Class or schedule', 'Function', 'State', 'Position or next time', 'Calls', 'Failures', ''],
    states: { running: 'Running', retrying: 'Tries again', suspended: 'Suspended', disabled: 'Disabled' }, resume: 'Try again', skip: 'Leave it out',
  },
  metrics: {
    charts: {
      requests: 'Requests a second', latency: 'Latency in milliseconds', commits: 'Commits and events a second', lag: 'Lag', memory: 'Memory in MiB', queues: 'Queues', bytes: 'Bytes a second', cpu: 'Processors in use',
    },
    lines: {
      success: 'answered', refused: 'refused', p50: 'median', p99: '99 of 100', commits: 'commits', events: 'events', loop: 'event loop (ms)', feed: 'feed (commits)', resident: 'resident', shared: 'shared by callers',
      writes: 'writes that wait', connections: 'connections', subscribers: 'subscribers', sent: 'sent', received: 'received', cpu: 'processors',
    },
  },
  keys: {
    none: 'There are no keys: whoever reaches the server is its administrator.', heads: ['Id', 'Name', 'Role', 'Classes', 'Created', 'Actions'], all: 'all', revoke: 'Revoke', revokeText: (name) => `“${name}” lets nobody in any more.`,
    create: 'Create a key', firstKey: 'From the first key on, every request needs a credential.', role: 'Role', name: 'Name', classes: 'Only these classes', shownOnce: 'It is shown only now:',
  },
  apps: {
    none: 'There are no apps: the server has its default database only.', heads: ['Name', 'State', 'Size', 'Settings', 'Actions'], open: 'open', closed: 'closed', size: (bytes) => `${Math.ceil(bytes / 1024).toLocaleString()} KiB`,
    remove: 'Remove', removeText: (name) => `All that is in “${name}” will be lost, its audit trail too.`, again: 'Its name once more', create: 'Create an app', firstKey: 'It gets a key of its own, an administrator’s.', name: 'Name',
  },
  roles: {
    document: 'Roles', hint: 'read and write are true, false or a filter; fields hides properties.', save: 'Save', saved: 'The roles are in effect.', tryOut: 'Try-out', tryOutText: 'What the rules above would show to a user, and let them write, before they are saved.',
    role: 'Role', user: 'As the user (id)', userRoles: 'With the roles', class: 'Class', object: 'This object (key)', try: 'Try', read: 'Reads', write: 'Writes', fields: 'Properties',
    nothing: 'Nothing.', objects: (count) => `${plural(count, 'object', 'objects')}.`, matches: (key) => `${key} is one of them.`, doesNot: (key) => `${key} is none of them.`, unknown: (name) => `${name} cannot be tried here.`,
  },
  users: {
    none: 'There are no accounts.', heads: ['Address', 'User', 'Account', 'State', 'Actions'], confirmed: 'confirmed', waiting: 'waits', disabled: 'shut out', next: 'Next', confirm: 'Confirm', reset: 'Reset password',
    sessions: 'Sessions', noSessions: 'There are no sessions.', sessionHeads: ['Device', 'Begun', 'Used', 'Key', ''], end: 'End',
    resetText: 'For whoever has the address, with the new password, within half an hour:', enable: 'Let in', disable: 'Shut out', roles: 'Roles', rolesText: (user) => `Roles of ${user}`, noRoles: 'No roles are defined.', rolesSaved: 'The roles are given.',
    other: 'Another user', id: 'Id', providers: 'Ways to log in', providerHeads: ['Provider', 'Settings'],
    noProviders: 'Nobody can log in: no provider is on in auth/providers.json.',
  },
  audit: { 
    verify: 'Verify the chain', insecure: 'Browsers compute digests only for pages of https or of this machine.', broken: (id) => `The event ${id} does not follow from the one before it.`,
    verified: (count, isArchived) => `${plural(count, 'event', 'events')}, each of which follows from the one before it${isArchived ? '. But the first does not begin the trail: it was changed, or those before it are gone or in an archive, as gatehouse audit verify tells' : ''}.`,
    none: 'Nothing is recorded: audit.always says what is.', heads: ['Time', 'Activity', 'Event', 'Caller', 'Data'], activity: 'Activity', event: 'Event', text: 'Data contains', from: 'From', until: 'Until' },
};
