import GatehouseBSON
import GatehouseStorage

/// The events that a trail comes to, by the rules of Realm's recorder (C:object-store/audit.mm, `process_scope`).
///
/// 1. A query after a query of the same class in the same state is part of it, and so is the read of a single object;
///    the objects of a query come by key, each once.
/// 2. The read of the object that was read immediately before is none.
/// 3. What found nothing is none.
/// 4. An object that was read before one of its links was followed shows the target in place of its primary key.
///
/// Beyond Realm's: a link that is many links deep, or that comes when an object's text has become long by its targets, stays a
/// primary key. Each of some objects may have two links to the next: the text of the first would have 2 to the power of their number.
struct FoldedTrail {
  /// The links that lead from an object to those in its text, at most.
  static let mostLinks = 32
  /// The bytes of an object's text from which on it shows no more targets.
  static let mostShown = 64 << 10

  let trail: Trail
  /// By property in one state of the store: its followed links, and the index of the occurrence that followed them
  /// last.
  private let accesses: [LinkAccess.Place: (last: Int, access: LinkAccess)]

  init(_ trail: Trail) {
    self.trail = trail
    var accesses: [LinkAccess.Place: (last: Int, access: LinkAccess)] = [:]
    for (index, occurrence) in trail.occurrences.enumerated() {
      if case .link(let access) = occurrence { accesses[access.place] = (index, access) }
    }
    self.accesses = accesses
  }

  /// The state of writing the events, piece by piece.
  struct Progress {
    /// The index of the first occurrence that is in no event so far.
    fileprivate var occurrence = 0
    /// The event of which some objects are still to be written.
    fileprivate var event: FoldedEvent?
    fileprivate var object = 0

    init() {}
  }

  /// Returns the kind, time and text of the next event, and advances `progress`; nil after the last. A long event
  /// comes in parts of about `limit` bytes.
  func next(
    _ progress: inout Progress, limit: Int
  ) throws -> (kind: StoredEvent.Kind, text: [UInt8], time: Date)? {
    guard let event = progress.event ?? event(&progress.occurrence) else { return nil }
    guard case .objects(let objects, _) = event.content else {
      guard case .write(let start, let count) = event.content else { return nil }
      return (.write, try trail.bytes(start, count), event.time)
    }
    var text = begin(event)
    let first = progress.object
    precondition(first < objects.count, "an event that goes on has objects left")
    repeat {
      if progress.object > first { text.append(",") }
      var path = Path(end: text.bytes.count + FoldedTrail.mostShown)
      try write(objects[progress.object], type: event.objectType, of: event, to: &text, path: &path)
      progress.object += 1
    } while progress.object < objects.count && text.bytes.count < limit
    text.append("]}")
    let isWhole = progress.object == objects.count
    progress.event = isWhole ? nil : event
    if isWhole { progress.object = 0 }
    return (.read, text.bytes, event.time)
  }

  /// Returns the event that begins at the next occurrence, with all occurrences that belong to it; nil if there are
  /// no more.
  ///
  /// One at a time: all of them would take as much memory again as the occurrences.
  private func event(_ next: inout Int) -> FoldedEvent? {
    var event: FoldedEvent?
    while next < trail.occurrences.count {
      let occurrence = trail.occurrences[next]
      if event == nil {
        event = FoldedEvent(occurrence, at: next)
      } else if event?.absorb(occurrence) == false {
        break
      }
      next += 1
    }
    event?.sort()
    precondition(
      event.map { $0.index < next } ?? (next == trail.occurrences.count),
      "each occurrence is in one event, or in none where it tells of nothing")
    return event
  }

  /// The links from an object to where its text is being written.
  private struct Path {
    var links: Set<LinkAccess.Place> = []
    /// Where in the event's text no more targets are shown.
    let end: Int
  }

  private func begin(_ event: FoldedEvent) -> JSONText {
    var text = JSONText()
    text.append(#"{"type":"#)
    text.string(trail.names[Int(event.objectType)])
    text.append(#","value":["#)
    return text
  }

  private func write(
    _ object: ObjectReference, type: Int32, of event: FoldedEvent, to text: inout JSONText, path: inout Path
  ) throws {
    let (bytes, links) = try trail.text(object)
    var start = 0
    for link in links {
      guard path.links.count < FoldedTrail.mostLinks, text.bytes.count < path.end else { break }
      let place = LinkAccess.Place(
        objectType: type, key: object.key, property: link.property, version: event.version)
      // Where links lead in a circle, it ends with a primary key.
      guard let followed = accesses[place], followed.last > event.index, path.links.insert(place).inserted
      else {
        continue
      }
      precondition(start <= link.range.lowerBound, "the links of a text are in its order")
      text.bytes += bytes[start..<link.range.lowerBound]
      try write(followed.access, of: event, to: &text, path: &path)
      path.links.remove(place)
      start = link.range.upperBound
      precondition(start <= bytes.count, "a link ends at \(start) of \(bytes.count) bytes")
    }
    text.bytes += bytes[start...]
  }

  private func write(
    _ access: LinkAccess, of event: FoldedEvent, to text: inout JSONText, path: inout Path
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
        try write(target, type: access.targetType, of: event, to: &text, path: &path)
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
