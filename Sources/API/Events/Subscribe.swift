import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// GET of a resource as an event stream: the resource, watched.
struct Subscribe: Sendable {
  private var subscription: Subscription
  /// Where it begins: in the log of its store, or in those of all shards.
  private let start: ShardPositions
  private let client: UInt64
  private let principal: Principal
  /// The object that must be there unless the client knew it before; nil: none.
  private var object: (type: String, id: Mixed)?

  /// Watches everything.
  init(toAllOf call: Call) throws {
    try self.init(call, Subscription(.everything))
  }

  /// Watches a class, or the results of a query.
  init(toClassOf call: Call) throws {
    try self.init(call, Subscription(.objectType(try call.collectionType().name)))
    subscription.results = try Subscribe.results(call.parameters, call.limits)
  }

  /// Watches one object.
  init(toObjectOf call: Call) throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    try self.init(call, Subscription(.object(type.name, id: id)))
    object = (type.name, id)
  }

  /// Watches what a path leads to inside an object. Linking objects are those of their class whose property has the
  /// link.
  init(toPropertyOf call: Call) throws {
    let (type, id, path) = try call.place()
    if case .linkingObjects(let source, let property) = path.type {
      // Behind a link there are those of another object each time that the link changes.
      guard path.steps.count == 1 else { throw APIError.invalidPath(.segment(1, .intoLinkingObjects)) }
      try self.init(call, Subscription(.objectType(source)))
      subscription.link = Subscription.Link(by: property, to: type.name, id: id)
      subscription.results = try Subscribe.results(call.parameters, call.limits)
    } else {
      for name in [Parameters.Name.filter, .args, .mode, .sort, .distinct, .limit]
      where call.parameters[name] != nil {
        throw APIError.invalidParameter(name)
      }
      try self.init(call, Subscription(.property(type.name, id: id, call.pathSegments)))
    }
    object = (type.name, id)
  }

  private init(_ call: Call, _ subscription: Subscription) throws {
    let parameters = call.parameters
    var subscription = subscription
    try subscription.readQuery(parameters)
    subscription.showsValues = try parameters.flag(.values)
    self.subscription = subscription
    // Where EventSource was when it lost the connection is later than where its URL says it began.
    let last = call.request.fields["last-event-id"].flatMap { $0.isEmpty ? nil : $0 }
    start = try last.map(ShardPositions.init(resuming:)) ?? ShardPositions(since: parameters[.since])
    client = call.request.peer.client
    principal = call.principal
  }

  /// Returns the subscription as far as the caller may have it. Throws where it has no meaning in the schema.
  private func restricted(_ call: Call, _ data: DataAccess) async throws -> Subscription {
    try await data.bind(subscription.request, for: call) { [subscription] in
      var subscription = subscription
      do {
        try subscription.check(in: call.schema)
        if let permit = call.permit { try subscription.restrict(by: permit, in: call.schema) }
      } catch let error as SubscriptionError {
        throw Subscribe.apiError(for: error)
      }
      return subscription
    }
  }

  /// Nil where events tell of objects.
  private static func results(
    _ parameters: Parameters, _ limits: RequestLimits
  ) throws(APIError) -> Subscription.Results? {
    switch parameters[.mode] {
    case nil, "events":
      for name in [Parameters.Name.sort, .distinct, .limit, .sectionBy] where parameters[name] != nil {
        throw .invalidParameter(name)
      }
      return nil
    case "results":
      for name in [Parameters.Name.since, .values] where parameters[name] != nil {
        throw .invalidParameter(name)
      }
      let page = PageLimit(.json, limits)
      return Subscription.Results(
        sort: parameters[.sort], distinct: parameters[.distinct],
        limit: try parameters[.limit].map(page.limit) ?? page.standard ?? limits.largestPageSize,
        sectionBy: parameters[.sectionBy])
    default: throw .invalidParameter(.mode)
    }
  }

  private static func apiError(for error: SubscriptionError) -> any Error {
    switch error {
    case .query(let error): error
    case .clauses, .unwatchableFilter: APIError.invalidParameter(.filter)
    case .unknownClass(let name): APIError.unknownClass(name: name, nearest: nil)
    case .unknownKeyPath, .unwatchableKeyPath: APIError.invalidParameter(.keyPaths)
    case .notObjects: APIError.invalidParameter(.keyPaths)
    case .path(let error): APIError.invalidPath(error)
    }
  }

  private func requireObject(_ permit: Permit?, from start: StreamStart, _ reader: Reader) throws {
    guard let (objectType, id) = object else { return }
    let condition = try permit?.visibility(of: objectType)
    switch start {
    case .fresh, .log(.latest):
      guard try reader.version(objectType, id: id, where: condition) == nil else { return }
      throw StorageError.objectNotFound(objectType: objectType, id: id)
    case .log, .after, .unknown: return
    }
  }

  func answer(_ call: Call, _ events: EventAccess) async throws -> Response {
    let shards = try await events.callsInShards(call)
    guard !shards.isEmpty else {
      return Response(try await stream(call, events, from: start.starts(of: 1)[0]))
    }
    // Results are in one order, which would need what all have at once.
    if subscription.results != nil { throw GroupError.severalShards }
    var streams: [EventStream] = []
    let starts = try start.starts(of: shards.count)
    for ((call, events), start) in zip(shards, starts) {
      streams.append(try await stream(call, events, from: start))
    }
    return Response(ShardedEventStream(streams, from: starts))
  }

  private func stream(
    _ call: Call, _ events: EventAccess, from start: StreamStart
  ) async throws -> EventStream {
    if let version = start.version { try await events.data.reach(version) }
    var subscription = try await restricted(call, events.data)
    try requireObject(call.permit, from: start, events.data.reader)
    try call.requireRecordableReads(events.data.store)
    guard let loopBroker = events.loopBroker, events.broker.admit(client) else {
      throw APIError.tooManySubscribers
    }
    var recorder: ReadRecorder?
    if let recording = call.recording, recording.recordsReads {
      subscription.recordsReads = true
      recorder = ReadRecorder(recording, as: subscription.results == nil ? .objects : .query, on: loopBroker)
    }
    return EventStream(
      .one(subscription, from: start, on: loopBroker), client: client,
      validity: { [principal] in events.data.sessions.validity(of: principal) }, recorder: recorder)
  }
}

extension StreamStart {
  /// The version that whoever comes back has been told of; nil: none.
  fileprivate var version: Int64? {
    switch self {
    case .after(let position): position.log.version
    case .log(let start): start.version
    case .fresh, .unknown: nil
    }
  }
}

extension LogStart {
  /// The version that whoever comes back has been told of; nil: none.
  var version: Int64? { if case .after(let position) = self { position.version } else { nil } }
}

extension Subscription {
  fileprivate mutating func readQuery(_ parameters: Parameters) throws {
    filter = parameters[.filter]
    arguments = try QueryParameters.arguments(parameters[.args])
    fields = parameters[.fields]
    expand = parameters[.expand]
    keyPaths = parameters[.keyPaths]
  }
}
