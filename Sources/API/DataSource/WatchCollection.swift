import GatehouseAccess
import GatehouseBSON
import GatehouseDocuments
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel

/// A change stream on a collection: the events of its class, in MongoDB's form.
struct WatchCollection: Sendable {
  private let namespace: Namespace
  /// Holds of the events that are sent.
  private let filter: Filter

  init(_ argument: Document) throws(DataSourceError) {
    let members = try CommandMembers(argument, known: ["ids", "filter", "useCompactEvents"])
    namespace = try CommandMembers.namespace(in: argument)
    var conditions = try members.optionalDocument("filter") ?? Document()
    if members["ids"] != nil {
      let ids = Document([
        Document.Element(key: "documentKey._id", value: ["$in": .array(try members.array("ids"))])
      ])
      conditions = ["$and": .array([.document(ids), .document(conditions)])]
    }
    do { filter = try Filter(conditions) } catch { throw .language(error) }
    // It is asked on the event loop, where nothing may take long.
    if filter.hasExpressions {
      throw .language(
        DocumentsError(.commandNotSupported, "$expr is not supported in the filter of a change stream"))
    }
  }

  func answer(_ call: Call, _ events: EventAccess) async throws -> Response {
    guard let documents = try StoreCollections.documents(in: namespace, for: call) else {
      throw DataSourceError.noRule(namespace)
    }
    let target = Target(path: "/v1/collections/\(documents.type.name.percentEncoded)", query: "values=true")
    var response: Response
    do { response = try await events.open(target, nil, call) } catch is AccessError {
      throw DataSourceError.noRule(namespace)
    }
    guard case .pushed(let source) = response.body else { return response }
    response.body = .pushed(
      ChangeStreamSource(
        source, ChangeStreamFrames(documents: documents, namespace: namespace, filter: filter)))
    return response
  }
}

/// Turns the frames of an event stream into those of a change stream.
struct ChangeStreamFrames {
  let documents: DocumentClass
  let namespace: Namespace
  let filter: Filter
  private var rest: [UInt8] = []
  /// Whether the stream ends with what has been returned last.
  private(set) var hasEnded = false

  init(documents: DocumentClass, namespace: Namespace, filter: Filter) {
    self.documents = documents
    self.namespace = namespace
    self.filter = filter
  }

  /// Returns what the next bytes of the stream are to a client of the change stream.
  mutating func frames(for bytes: [UInt8]) -> [UInt8] {
    rest += bytes
    var (frames, start): ([UInt8], Int) = ([], 0)
    for index in rest.indices.dropFirst() where rest[index] == 0x0A && rest[index - 1] == 0x0A {
      if index - 1 > start { frames += self.frame(for: rest[start..<index - 1]) }
      start = index + 1
      if hasEnded { break }
    }
    rest.removeSubrange(..<start)
    return frames
  }

  private mutating func frame(for frame: ArraySlice<UInt8>) -> [UInt8] {
    var (name, data): (String, ArraySlice<UInt8>) = ("", [])
    for line in frame.split(separator: 0x0A) {
      if let value = line.value(of: "event: ") { name = String(decoding: value, as: UTF8.self) }
      if let value = line.value(of: "data: ") { data = value }
    }
    switch name {
    case "ready": return AppServicesEvent.open
    case "heartbeat": return AppServicesEvent.heartbeat
    case "end": return AppServicesEvent.error("the stream has ended", code: "InvalidSession")
    // No client comes back to where it was: it has to know that something is missing.
    case "resync":
      hasEnded = true
      return AppServicesEvent.error("changes have been missed", code: "BadRequest")
    default: break
    }
    guard case .document(let event)? = try? Value(json: Array(data)),
      let change = DocumentEvent(name, event, of: documents, in: namespace)
    else { return [] }
    let isWanted = (try? filter.matches(change.value, in: Scope(now: .now))) ?? false
    return isWanted ? AppServicesEvent.message(Value.document(change.value).inMilliseconds.extendedJSON) : []
  }
}

extension ArraySlice<UInt8> {
  /// The rest of a line that begins with that name.
  fileprivate func value(of name: String) -> ArraySlice<UInt8>? {
    starts(with: name.utf8) ? dropFirst(name.utf8.count) : nil
  }
}

/// The body of a change stream, between the event stream that it is made of and the connection.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its connection only.
final class ChangeStreamSource: PushSource, PushSink, @unchecked Sendable {
  private let source: any PushSource
  private var frames: ChangeStreamFrames
  private var sink: (any PushSink)?

  init(_ source: any PushSource, _ frames: ChangeStreamFrames) {
    self.source = source
    self.frames = frames
  }

  func start(_ sink: any PushSink) {
    precondition(self.sink == nil, "a stream is opened once")
    self.sink = sink
    source.start(self)
  }

  func resume() { source.resume() }

  func end() {
    sink = nil
    source.end()
  }

  var isBusy: Bool { sink?.isBusy ?? true }

  func push(_ bytes: [UInt8]) {
    guard let sink else { return }
    let told = frames.frames(for: bytes)
    if !told.isEmpty { sink.push(told) }
    guard frames.hasEnded else { return }
    sink.complete()
    self.sink = nil
    source.end()
  }

  func complete() {
    sink?.complete()
    sink = nil
  }

  func abort() {
    sink?.abort()
    sink = nil
  }
}
