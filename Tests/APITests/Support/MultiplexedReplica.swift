import GatehouseBSON
import GatehouseHTTP
import Synchronization

@testable import GatehouseAPI

/// A client that applies what a multiplexed stream tells to what it has of each subscription.
struct MultiplexedReplica {
  /// The part of a client's data that one subscription tells.
  enum State {
    /// The objects that events told, by their keys.
    case objects([String: String])
    case results(ResultsReplica)
    /// The value of a place, as JSON.
    case place(String)

    /// As text that equals ``MultiplexedReplica/shown(_:like:)`` of a fresh read.
    var text: String {
      switch self {
      case .objects(let objects): "\(objects.sorted { $0.key < $1.key })"
      case .results(let replica): String(decoding: replica.value.plainJSON, as: UTF8.self)
      case .place(let value): value
      }
    }
  }

  private(set) var states: [String: State] = [:]
  /// The name of the stream.
  private(set) var stream = ""
  /// Subscriptions that are over, with the reason.
  private(set) var ended: [String: String] = [:]

  /// Applies one event; returns the version that it closes.
  mutating func apply(_ event: StreamEvent) throws -> Int64? {
    guard let data = event.data, case .document(let document) = try Value(json: data) else { return nil }
    switch (event.name, document["subscription"]) {
    case ("stream", _):
      if case .string(let text)? = document["stream"] { stream = text }
    case ("version", nil): return document["version"]?.integer
    case ("end", .string(let name)?):
      states[name] = nil
      if case .string(let reason)? = document["reason"] { ended[name] = reason }
    case (let event?, .string(let name)?): try apply(event, document, to: name)
    default: break
    }
    return nil
  }

  private mutating func apply(_ event: String, _ document: Document, to name: String) throws {
    if event == "ready" {
      if states[name] == nil { states[name] = .objects([:]) }
    } else if document["class"] != nil, document["path"] == nil {
      guard case .objects(var objects) = states[name] ?? .objects([:]) else { return }
      let key = String(decoding: (document["id"] ?? .null).plainJSON, as: UTF8.self)
      objects[key] =
        event == "delete"
        ? nil : String(decoding: (document["object"] ?? .null).plainJSON, as: UTF8.self)
      states[name] = .objects(objects)
    } else if document["path"] != nil {
      states[name] = .place(String(decoding: (document["value"] ?? .null).plainJSON, as: UTF8.self))
    } else {
      var replica = ResultsReplica()
      if case .results(let known)? = states[name] { replica = known }
      try replica.apply(StreamEvent(name: event, document))
      states[name] = .results(replica)
    }
  }

  /// Returns the answer of GET as a state of that kind has it.
  static func shown(_ json: String, like state: State) throws -> String {
    let value = try Value(json: json)
    switch state {
    case .place: return String(decoding: value.plainJSON, as: UTF8.self)
    case .results: return String(decoding: ResultsReplica.shown(value).plainJSON, as: UTF8.self)
    case .objects:
      guard case .array(let objects) = value else { return json }
      var known: [String: String] = [:]
      for case .document(let object) in objects {
        let key = String(decoding: (object["id"] ?? .null).plainJSON, as: UTF8.self)
        known[key] = String(decoding: Value.document(object).plainJSON, as: UTF8.self)
      }
      return State.objects(known).text
    }
  }
}

extension StreamEvent {
  fileprivate init(name: String, _ document: Document) {
    self.init(frame: "")
    self.name = name
    data = String(decoding: Value.document(document).plainJSON, as: UTF8.self)
  }
}

/// A client's end of a stream, which gives what has come since it was asked last.
final class FrameSink: PushSink {
  private struct State {
    var bytes: [UInt8] = []
    var isBusy = false
    var isAborted = false
  }

  private let state = Mutex(State())
  private let source: any PushSource
  private let loop: TestLoop

  init(_ source: any PushSource, on loop: TestLoop) {
    self.source = source
    self.loop = loop
    loop.later { source.start(self) }
  }

  var isBusy: Bool { state.withLock { $0.isBusy } }
  var isAborted: Bool { state.withLock { $0.isAborted } }

  func push(_ bytes: [UInt8]) { state.withLock { $0.bytes += bytes } }
  func complete() {}

  func abort() {
    state.withLock { $0.isAborted = true }
    source.end()
  }

  /// Stops to take anything, or begins again.
  func setBusy(_ isBusy: Bool) async {
    state.withLock { $0.isBusy = isBusy }
    if !isBusy { await loop.run { [source] in source.resume() } }
  }

  func leave() async {
    await loop.run { [source] in source.end() }
  }

  /// Takes the frames that have come.
  func take() -> [StreamEvent] {
    let bytes = state.withLock { state in
      defer { state.bytes = [] }
      return state.bytes
    }
    return StreamEvent.all(in: String(decoding: bytes, as: UTF8.self))
  }
}
