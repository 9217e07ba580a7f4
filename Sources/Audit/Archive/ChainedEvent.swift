public import GatehouseBSON
public import GatehouseModel

/// A stored event with its identifier, its place in the chain and its object key.
public struct ChainedEvent: Hashable, Sendable {
  public let event: StoredEvent
  public let id: ObjectID
  public let key: ObjectKey
  /// The chain as stored, whether or not it is right.
  public let chain: String

  /// Reads the event of an object; nil if the object is none.
  public init?(_ image: Mixed, key: ObjectKey) {
    guard case .dictionary(let entries) = image else { return nil }
    var texts: [(key: String, value: String)] = []
    var (id, timestamp): (ObjectID?, Date?) = (nil, nil)
    for entry in entries {
      switch entry.value {
      case .objectID(let value) where entry.key == "_id": id = value
      case .date(let value) where entry.key == "timestamp": timestamp = value
      case .string(let text): texts.append((entry.key, text))
      case .null: break
      default: return nil
      }
    }
    self.init(texts: texts, id: id, timestamp: timestamp, key: key)
  }

  /// Reads the event of a line of an archive; nil if the line is none.
  init?(line: Document, key: ObjectKey) {
    var texts: [(key: String, value: String)] = []
    for element in line.elements {
      guard case .string(let text) = element.value else { return nil }
      texts.append((element.key, text))
    }
    let id = texts.first { $0.key == "_id" }.flatMap { ObjectID($0.value) }
    let timestamp = texts.first { $0.key == "timestamp" }.flatMap { Date($0.value) }
    texts.removeAll { $0.key == "_id" || $0.key == "timestamp" }
    self.init(texts: texts, id: id, timestamp: timestamp, key: key)
  }

  private init?(
    texts: [(key: String, value: String)], id: ObjectID?, timestamp: Date?, key: ObjectKey
  ) {
    func text(_ name: String) -> String? { texts.first { $0.key == name }?.value }
    let own: Set = ["activity", "event", "data", "chain"]
    guard let id, let timestamp, let activity = text("activity"), let chain = text("chain"),
      let metadata = try? Metadata(stored: texts.filter { !own.contains($0.key) })
    else { return nil }
    event = StoredEvent(
      timestamp: timestamp, activity: activity, event: text("event"), data: text("data"), metadata: metadata)
    self.id = id
    self.key = key
    self.chain = chain
  }

  /// Whether the event is unchanged and came directly after the one whose chain is `previous`.
  func follows(_ previous: String) -> Bool {
    Chain.link(event, id: id, after: previous) == chain
  }

  /// The event as one line of JSON with its place in the chain, without line feed.
  public var line: [UInt8] {
    var text = JSONText()
    event.appendLine(id: id, chain: chain, to: &text)
    return text.bytes
  }
}
