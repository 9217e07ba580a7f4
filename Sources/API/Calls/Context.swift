import GatehouseAccess
import GatehouseFeeds
import GatehouseHTTP
import GatehouseStorage
import GatehouseTriggers

/// The parts that the endpoints of one event loop work with. Each endpoint says which one it gets.
struct Context: Sendable {
  /// The objects: reading, writing, querying them.
  let data: DataAccess
  /// Event streams of the objects.
  let events: EventAccess
  /// The functions that can be called.
  let functions: FunctionAccess
  /// The users who may log in.
  let users: UserAccess
  /// The keys and roles.
  let access: AccessControl
  /// The recording of who reads and writes what.
  let audit: AuditRecording
  /// The functions that are called when something happens; nil: there are none.
  let triggers: TriggerRunner?
  /// The state of the server as a whole.
  let server: ServerStatus

  /// - Parameters:
  ///   - main: The context of the database that has the keys, roles and users, where another one has the objects.
  ///   - place: The group of classes that the store has; nil: there is one store.
  init(
    _ store: Store, _ options: GatewayOptions, within main: Context? = nil, at place: GroupPlace? = nil
  ) throws(StorageError) {
    access = if let access = options.access { access } else { try AccessControl(store) }
    audit = AuditRecording(recorder: options.recorder, details: options.auditDetails)
    let reader = try store.makeReader(sharesSnapshots: true)
    let accounts = main?.data.accounts ?? reader
    let sessions = SessionValidator(access, options.users, reader: accounts)
    data = DataAccess(
      store, readers: (reader, accounts), sessions: sessions, audit: audit, options, at: place)
    let broker = if let broker = options.broker { broker } else { EventBroker(store) }
    events = EventAccess(data, broker: broker, tickets: access.tickets)
    functions = FunctionAccess(options.functions, sessions, audit: audit, spans: options.spans)
    functions.actingUsers = options.users.map { [access] in ActingUsers(users: $0, access: access) }
    users = UserAccess(
      users: options.users, functions: functions, access: access, endpoints: options.endpoints)
    triggers = options.triggers
    server = ServerStatus(
      data: data, readiness: options.readiness, metrics: options.metrics, maintenance: options.maintenance,
      cluster: options.cluster,
      apps: options.apps, settings: options.settings)
  }

  /// Begins to work on a loop. Called once.
  func start(on loop: any Loop) {
    data.sessions.start(on: loop)
    functions.start(on: loop)
    events.start(on: loop)
    events.end(for: access.revocations)
    if let users = users.users { events.end(for: users.revocations) }
  }
}
