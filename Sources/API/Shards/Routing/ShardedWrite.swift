import GatehouseBSON
import GatehouseHTTP

/// A write of objects in several shards of a group: a request to each that has a part in it, which is a transaction of its own, and the
/// answer that is made of theirs.
struct ShardedWrite: Sendable {
  struct Part: Sendable {
    let gateway: Gateway
    let request: Request
    /// The places in the whole content of the objects that the part makes; empty: it is about all that match in its shard.
    var places: [(index: Int, place: Content.Place)] = []
  }

  private let parts: [Part]
  private let request: Request
  private let endpoint: Endpoint
  private let mediaType: MediaType

  /// Throws ``APIError/notAcceptable(offers:)``.
  init(_ parts: [Part], of request: Request, to endpoint: Endpoint) throws(APIError) {
    precondition(!parts.isEmpty, "a write has a part somewhere")
    precondition(
      parts.count == 1 || Set(parts.map { ObjectIdentifier($0.gateway) }).count == parts.count,
      "a store has one part of a write")
    self.parts = parts
    self.request = request
    self.endpoint = endpoint
    mediaType = try Call.mediaType(accept: request.fields["accept"], of: endpoint)
  }

  /// Makes a write of a request that is about all objects that match, in each of the shards. Throws ``APIError/notAcceptable(offers:)``.
  init(_ request: Request, inEach shards: [Gateway], to endpoint: Endpoint) throws(APIError) {
    let bytes: [UInt8] = if case .bytes(let bytes) = request.body { bytes } else { [] }
    let part = ShardedWrite.part(of: request, bytes, to: endpoint)
    try self.init(shards.map { Part(gateway: $0, request: part) }, of: request, to: endpoint)
  }

  /// Returns the request with another content, whose answer can be put together with those of others.
  static func part(
    of request: Request, _ content: [UInt8], as type: ContentType? = nil, to endpoint: Endpoint
  ) -> Request {
    var part = request
    part.body = content.isEmpty ? .empty : .bytes(content)
    part.fields.removeLines(["accept-encoding", "prefer"])
    if !content.isEmpty { part.fields.replace("content-length", String(content.count)) }
    if let type { part.fields.replace("content-type", type.name) }
    // Clients of App Services get Extended JSON, whatever they ask for.
    part.fields.replace(
      "accept", endpoint.answers.contains(.bson) ? MediaType.bson.name : MediaType.json.name)
    // How many there are is wanted of each.
    let preferences = (request.fields["prefer"] ?? "").split(separator: ",").filter {
      !$0.trimmed.lowercased().hasPrefix("return=")
    }
    if !preferences.isEmpty { part.fields.append("prefer", preferences.joined(separator: ",")) }
    return part
  }

  /// The bytes of the contents of all parts.
  var contentSize: Int {
    parts.reduce(0) { if case .bytes(let bytes) = $1.request.body { $0 + bytes.count } else { $0 } }
  }

  /// Has all parts done, at once.
  func answer(
    by respond: @escaping @Sendable (Gateway, Request, RequestScope) async -> Response
  ) async -> Response {
    let answers = await withTaskGroup(of: (Int, Response).self) { group in
      for (index, part) in parts.enumerated() {
        let (gateway, request) = (part.gateway, part.request)
        group.addTask { (index, await respond(gateway, request, RequestScope(isCounted: index > 0))) }
      }
      var answers: [(index: Int, response: Response)] = []
      for await answer in group { answers.append(answer) }
      precondition(answers.count == parts.count, "each part of a write has its answer")
      return answers.sorted { $0.index < $1.index }.map(\.response)
    }
    let summary = Summary(answers, of: parts)
    guard let failure = summary.failures.first else { return response(for: summary, answers) }
    if summary.count == 0 { return failure.located }
    guard !isCommand else {
      return await parts[0].gateway.respond(to: request, failure: GroupError.partlyDone, Progress())
    }
    var problem = GroupError.partlyDone.problem
    problem.members = [
      "count": .int64(Int64(summary.count)), "failures": .array(summary.failures.map(\.problem)),
    ]
    var response = problem.response(to: request)
    if summary.failures.allSatisfy({ $0.located.status == .serviceUnavailable }) {
      response.fields.append("retry-after", "1")
    }
    response.route = failure.located.route
    parts[0].gateway.policies.cors?.apply(to: &response, for: request)
    return response
  }

  /// Whether it is a command of MongoDB's language, whose answer has numbers of several names.
  private var isCommand: Bool { endpoint === Endpoint.runDataAction || endpoint === Endpoint.callAppFunction }

  private func response(for summary: Summary, _ answers: [Response]) -> Response {
    let first = answers.first { $0.status == .created } ?? answers[0]
    guard !isCommand else {
      var response = first
      let value = Value.document(summary.sums)
      response.body = .bytes(
        endpoint.answers.contains(.bson) ? mediaType.bytes(of: value) : value.extendedJSON)
      if endpoint.answers.contains(.bson) { response.fields.replace("content-type", mediaType.name) }
      response.fields.removeLines(["realm-version"])
      return response
    }
    var document: Document = ["count": .int64(Int64(summary.count))]
    if !summary.ids.isEmpty {
      document.append("ids", .array(summary.ids.sorted { $0.key < $1.key }.map(\.value)))
    }
    let returnsMinimal = Preferences(request.fields["prefer"]).returnsMinimal
    var response = Response(
      status: first.status, content: returnsMinimal ? nil : mediaType.bytes(of: .document(document)),
      mediaType)
    response.route = first.route
    // Each shard has versions of its own.
    var others = first.fields
    others.removeLines(["content-type", "realm-version", "preference-applied"])
    for line in others.lines where line.name != "vary" || line.value != "accept" {
      response.fields.append(line)
    }
    let applied = [returnsMinimal ? "return=minimal" : nil, first.fields["preference-applied"]]
      .compactMap(\.self)
    if !applied.isEmpty { response.fields.append("preference-applied", applied.joined(separator: ", ")) }
    return response
  }
}

extension ShardedWrite {
  /// The answers of all shards in one.
  private struct Summary {
    /// The objects that were made, changed or deleted.
    var count = 0
    /// The numbers of a command's answer.
    var sums = Document()
    /// The identifiers of the objects that were made, by their places in the content.
    var ids: [Int: Value] = [:]
    var failures: [Failure] = []

    private static func members(_ content: [UInt8]) -> Document? {
      if let document = try? Document(bson: content) { return document }
      guard case .document(let document)? = try? Value(json: content) else { return nil }
      return document
    }

    init(_ answers: [Response], of parts: [Part]) {
      for (answer, part) in zip(answers, parts) {
        guard answer.isSuccess else {
          failures.append(Failure(answer, of: part))
          continue
        }
        guard case .bytes(let bytes) = answer.body, let members = Summary.members(bytes) else { continue }
        for element in members.elements {
          guard let number = element.value.asInt else { continue }
          count += number
          let sum = Int32(clamping: (sums[element.key]?.asInt ?? 0) + number)
          sums.replace(element.key, .int32(sum))
        }
        guard case .array(let values)? = members["ids"] else { continue }
        for (place, value) in zip(part.places, values) { ids[place.index] = value }
      }
    }
  }

  /// The answer of a shard that has not done its part, which tells places in the whole content.
  private struct Failure {
    let located: Response
    let problem: Value

    init(_ response: Response, of part: Part) {
      // App Services' errors tell no places.
      guard response.fields["content-type"] == "application/problem+json",
        case .bytes(let bytes) = response.body, case .document(var members)? = try? Value(json: bytes)
      else {
        (located, problem) = (response, .null)
        return
      }
      if case .array(let entries)? = members["errors"], !part.places.isEmpty {
        var moves: [(from: String, to: String)] = []
        let located = entries.map { value in
          guard case .document(var entry) = value, case .string(let pointer)? = entry["pointer"],
            let (place, rest) = Failure.place(of: pointer, among: part.places)
          else { return value }
          let line = place.line.map { "Line \($0), " } ?? ""
          moves.append((pointer, "\(line)\(place.pointer)\(rest)"))
          entry.replace("pointer", .string(place.pointer + rest))
          if let line = place.line { entry.replace("line", .int64(Int64(line))) }
          return .document(entry)
        }
        members.replace("errors", .array(located))
        if let move = moves.first, case .string(let detail)? = members["detail"] {
          let moved = detail.replacing(" \(move.from): ", with: " \(move.to): ", maxReplacements: 1)
          members.replace("detail", .string(moved))
        }
      }
      var response = response
      response.body = .bytes(Value.document(members).plainJSON)
      located = response
      members.elements.removeAll { ["type", "title", "requestId"].contains($0.key) }
      problem = .document(members)
    }

    /// Returns the place of the object that a pointer into the content of a part begins with, and what comes behind it.
    private static func place(
      of pointer: String, among places: [(index: Int, place: Content.Place)]
    ) -> (Content.Place, rest: Substring)? {
      let behind = pointer.dropFirst()
      let end = behind.firstIndex(of: "/") ?? behind.endIndex
      guard let index = Int(behind[..<end]), places.indices.contains(index) else { return nil }
      return (places[index].place, behind[end...])
    }
  }
}

extension Fields {
  fileprivate mutating func removeLines(_ names: Set<String>) {
    self = Fields(lines.filter { !names.contains($0.name) })
  }
}
