import BSON
import Storage

/// The events that a trail comes to, by the rules of Realm's recorder (C:object-store/audit.mm, `process_scope`).
///
/// 1. A query after a query of the same class in the same state is part of it, and so is the read of a single object;
///    the objects of a query come by key, each once.
/// 2. The read of the object that was read immediately before is none.
/// 3. What found nothing is none.
/// 4. An object that was read before one of its links was followed shows the target in place of its primary key.
struct FoldedTrail {
  /// One event, still without text.
  struct Event {
    enum Content {
      case objects([ObjectReference], isQuery: Bool)
      case write(start: Int, count: Int)
    }

    let objectType: Int32
    let version: Int64
    var content: Content
    /// That of its first part.
    let time: Date
    /// Where its first part is among what happened.
    let index: Int
  }

  let trail: Trail
  let events: [Event]
  /// Of each place, when its links were followed.
  private let accesses: [LinkAccess.Place: (last: Int, access: LinkAccess)]

  init(_ trail: Trail) {
    self.trail = trail
    var folding = Folding()
    for (index, happening) in trail.happenings.enumerated() { folding.add(happening, at: index) }
    events = folding.finish()
    accesses = folding.accesses
  }

  /// How far the events have been written.
  struct Progress {
    fileprivate var event = 0
    fileprivate var object = 0

    init() {}
  }

  /// The text of the next event, and how far that gets; nil after the last. A long one comes in parts of about
  /// `limit` bytes.
  func next(
    _ progress: inout Progress, limit: Int
  ) throws -> (kind: StoredEvent.Kind, text: [UInt8], time: Date)? {
    guard progress.event < events.count else { return nil }
    let event = events[progress.event]
    guard case .objects(let objects, _) = event.content else {
      progress.event += 1
      guard case .write(let start, let count) = event.content else { return nil }
      return (.write, try trail.bytes(start, count), event.time)
    }
    var text = begin(event)
    let first = progress.object
    repeat {
      if progress.object > first { text.append(",") }
      var path: Set<LinkAccess.Place> = []
      try write(objects[progress.object], event.objectType, of: event, to: &text, &path)
      progress.object += 1
    } while progress.object < objects.count && text.bytes.count < limit
    text.append("]}")
    if progress.object == objects.count {
      progress.object = 0
      progress.event += 1
    }
    return (.read, text.bytes, event.time)
  }

  private func begin(_ event: Event) -> JSONText {
    var text = JSONText()
    text.append(#"{"type":"#)
    text.string(trail.names[Int(event.objectType)])
    text.append(#","value":["#)
    return text
  }

  private func write(
    _ object: ObjectReference, _ type: Int32, of event: Event, to text: inout JSONText,
    _ path: inout Set<LinkAccess.Place>
  ) throws {
    let (bytes, links) = try trail.text(object)
    var start = 0
    for link in links {
      let place = LinkAccess.Place(
        objectType: type, key: object.key, property: link.property, version: event.version)
      // Where links lead in a circle, it ends with a primary key.
      guard let followed = accesses[place], followed.last > event.index, path.insert(place).inserted else {
        continue
      }
      text.bytes += bytes[start..<link.range.lowerBound]
      try write(followed.access, of: event, to: &text, &path)
      path.remove(place)
      start = link.range.upperBound
    }
    text.bytes += bytes[start...]
  }

  private func write(
    _ access: LinkAccess, of event: Event, to text: inout JSONText, _ path: inout Set<LinkAccess.Place>
  ) throws {
    switch access.form {
    case .single: break
    case .elements: text.append("[")
    case .entries: text.append("{")
    }
    for (index, target) in access.targets.enumerated() {
      if index > 0 { text.append(",") }
      if case .entries(let keys) = access.form { text.key(keys[index]) }
      if let target {
        try write(target, access.targetType, of: event, to: &text, &path)
      } else {
        text.null()
      }
    }
    switch access.form {
    case .single: break
    case .elements: text.append("]")
    case .entries: text.append("}")
    }
  }
}

/// Puts together what belongs together, one after the other.
private struct Folding {
  private var events: [FoldedTrail.Event] = []
  private(set) var accesses: [LinkAccess.Place: (last: Int, access: LinkAccess)] = [:]

  mutating func add(_ happening: Happening, at index: Int) {
    switch happening {
    case .link(let access): accesses[access.place] = (index, access)
    case .write(let start, let count, let time):
      events.append(
        .init(
          objectType: -1, version: -1, content: .write(start: start, count: count), time: time, index: index))
    case .query(let type, let version, let objects, let time):
      if objects.isEmpty || join(objects, type, version) { return }
      events.append(
        .init(
          objectType: type, version: version, content: .objects(objects, isQuery: true), time: time,
          index: index))
    case .object(let type, let version, let object, let time):
      if isRepetition(object, type, version) || join([object], type, version) { return }
      events.append(
        .init(
          objectType: type, version: version, content: .objects([object], isQuery: false), time: time,
          index: index))
    }
  }

  /// Adds the objects to a query of the same class and state that came immediately before.
  private mutating func join(_ objects: [ObjectReference], _ type: Int32, _ version: Int64) -> Bool {
    guard let last = events.indices.last, events[last].objectType == type, events[last].version == version,
      case .objects(var found, true) = events[last].content
    else { return false }
    // Taken out meanwhile, so that the array is not copied.
    events[last].content = .write(start: 0, count: 0)
    found += objects
    events[last].content = .objects(found, isQuery: true)
    return true
  }

  private func isRepetition(_ object: ObjectReference, _ type: Int32, _ version: Int64) -> Bool {
    guard let last = events.last, last.objectType == type, last.version == version,
      case .objects(let found, false) = last.content
    else { return false }
    return found[0].key == object.key
  }

  func finish() -> [FoldedTrail.Event] {
    events.map { event in
      guard case .objects(let objects, true) = event.content, objects.count > 1 else { return event }
      var event = event
      var distinct: [ObjectReference] = []
      for object in objects.sorted(by: { $0.key < $1.key }) where distinct.last?.key != object.key {
        distinct.append(object)
      }
      event.content = .objects(distinct, isQuery: true)
      return event
    }
  }
}
