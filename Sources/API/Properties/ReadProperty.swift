import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  /// As an event stream: the property, or the results of a query of linking objects, watched.
  static let readProperty = Endpoint(
    "readProperty",
    .get(
      "/v1/collections/{class}/{id}/{path}",
      parameters: [
        .filter, .args, .sort, .distinct, .limit, .cursor, .fields, .expand, .only, .contains, .indexOf,
        .aggregate, .since, .keyPaths, .mode, .at,
      ]), answers: MediaType.forParts + [.eventStream], requires: .permit, records: .reads, using: \.events
  ) { call, events in
    if call.mediaType == .eventStream {
      return try await Subscribe(toPropertyOf: call).answer(call, events)
    }
    return try await ReadProperty(call, events.data).answer(events.data)
  }
}

/// GET of what a path leads to inside an object.
struct ReadProperty: Sendable {
  private var request: PathReadRequest
  /// Linking objects are found like those of a collection.
  private let linking: (find: FindObjects, property: String)?
  private let query: QueryParameters
  private let cursors: CursorToken
  private let call: Call
  private let preconditions: Preconditions

  init(_ call: Call, _ data: DataAccess) throws {
    let (type, id, path) = try call.place()
    self.call = call
    preconditions = try Preconditions(call.request.fields)
    request = PathReadRequest(objectType: type.name, id: id, path: path)
    request.condition = try call.permit?.visibility(of: type.name)
    request.visibility = call.permit?.visibility
    let page = PageLimit(.json, call.limits)
    query = try QueryParameters(call.parameters, page)
    cursors = CursorToken(objectType: call.request.target.path, query, seal: data.seal(for: call))
    if case .linkingObjects(let source, let property) = path.type {
      for name in [Parameters.Name.only, .contains, .indexOf] where call.parameters[name] != nil {
        throw APIError.invalidParameter(name)
      }
      linking = (try FindObjects(call, data, linkingFrom: source), property)
      return
    }
    linking = nil
    if call.parameters[.distinct] != nil { throw APIError.invalidParameter(.distinct) }
    try readWindow()
    try readQuestion()
    try readProjection()
  }

  /// `fields` and `expand` show the objects that a link or a collection leads to in place of their primary keys.
  private mutating func readProjection() throws {
    let given = [Parameters.Name.fields, .expand].first { call.parameters[$0] != nil }
    guard let name = given else { return }
    guard case .object(let target)? = request.path.type.objects, request.question == nil else {
      throw APIError.invalidParameter(name)
    }
    request.projection = try Projection(
      query.request.selection, objectType: target, schema: call.schema)
  }

  private mutating func readWindow() throws {
    if let only = call.parameters[.only] {
      guard let part = PathReadRequest.Part(rawValue: only) else { throw APIError.invalidParameter(.only) }
      request.only = part
    }
    request.limit = query.limit
    guard let cursor = try query.cursor.map(cursors.cursor) else { return }
    switch cursor.values.first {
    case .string(let key)?: request.start = .after(key: key)
    case .int(let offset)? where (0...Int64(Int32.max)).contains(offset): request.start = .offset(Int(offset))
    case .list(let values)? where values.count == 1 && values[0].isStored: request.start = .behind(values[0])
    default: throw APIError.invalidCursor
    }
  }

  /// `contains`, `indexOf` and `aggregate` are answered by one value, so that only one can be asked.
  private mutating func readQuestion() throws {
    let given = [Parameters.Name.contains, .indexOf, .aggregate].filter { call.parameters[$0] != nil }
    guard let name = given.first, let text = call.parameters[name] else { return }
    guard given.count == 1 else { throw APIError.invalidParameter(given[1]) }
    switch name {
    case .contains:
      if case .map = request.path.type {
        request.question = .containsKey(text)
      } else {
        request.question = .contains(try element(text, name))
      }
    case .indexOf: request.question = .indexOf(try element(text, name))
    default: request.question = .aggregate(try aggregates(text))
    }
  }

  private func element(_ text: String, _ name: Parameters.Name) throws -> DraftValue {
    guard let type = request.path.type.elementType, let value = try? Value(json: text),
      let draft = try? type.draft(from: value, in: call.schema, of: request.path.ownerType)
    else { throw APIError.invalidParameter(name) }
    return draft
  }

  /// The class of the elements, and a schema that has it: values are objects with one property, `self`.
  private var elementClass: (name: String, schema: Schema)? {
    guard case .one(let element, _)? = request.path.type.elementType else { return nil }
    if case .object(let name) = element { return (name, call.schema) }
    let type = ElementView.objectType(of: element)
    return (type.name, Schema(call.schema.objectTypes + [type]))
  }

  /// `@min` is that of the values themselves, `population.@min` that of the objects' property.
  private func aggregates(_ text: String) throws -> [(name: String, aggregate: Aggregate)] {
    guard let (name, schema) = elementClass else { throw APIError.invalidParameter(.aggregate) }
    var aggregates: [(String, Aggregate)] = []
    for term in text.split(separator: ",", omittingEmptySubsequences: false) {
      let term = term.trimmed
      let path = term.hasPrefix("@") && term != "@count" ? "self.\(term)" : String(term)
      for aggregate in try Aggregate.list(path, objectType: name, schema: schema) {
        aggregates.append((String(term), aggregate))
      }
    }
    return aggregates
  }

  private func plan() throws -> Plan? {
    guard query.request.filter != nil || query.request.sort != nil else { return nil }
    guard let (name, schema) = elementClass else {
      throw APIError.invalidParameter(query.request.filter == nil ? .sort : .filter)
    }
    return try Plan(request: query.request, schema: schema, objectType: name)
  }

  func answer(_ data: DataAccess) async throws -> Response {
    if let (find, property) = linking {
      return try await find.answer(linkingTo: request, by: property, data)
    }
    var request = request
    request.plan = try await data.bind(query.request, for: call, plan)
    return try await data.read(for: call, as: .objects) { [request] in try response(to: request, from: $0) }
  }

  private func response(to request: PathReadRequest, from reader: Reader) throws -> Response {
    var bytes: [UInt8] = []
    let answer = try reader.place(request, as: call.mediaType.representation, into: &bytes)
    // The result of a filter or an aggregate depends on other objects, as does what is shown of them.
    let isOwn =
      call.past == nil && request.plan == nil && request.question == nil && request.projection == nil
      && !call.showsPart(of: request.path.ownerType)
    let tag = EntityTag(version: answer.version, mediaType: call.mediaType)
    if isOwn, try preconditions.isCurrent(tag) { return Response(notModified: tag) }
    var response = Response(status: .ok, content: bytes, call.mediaType)
    if isOwn { response.fields.append(tag) }
    if let next = answer.next { response.fields.append("link", link(to: next)) }
    return response
  }

  private func link(to next: PathReadRequest.Start) -> String {
    let value: Mixed =
      switch next {
      case .after(let key): .string(key)
      case .behind(let value): .list([value])
      case .offset(let offset): .int(Int64(offset))
      }
    let cursor = cursors.text(of: Cursor(values: [value], key: ObjectKey(0)))
    return call.parameters.linkToNextPage(at: call.request.target.path, .cursor, cursor)
  }
}

extension PropertyType {
  /// The type of a property, or of its elements.
  fileprivate var objects: ElementType? {
    if case .one(let element, _) = elementType ?? self { element } else { nil }
  }
}
