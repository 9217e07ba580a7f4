import GatehouseAudit
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage
import Synchronization

/// The objects of one query in several stores, put together in its order: by the sort values, then the object's key, then the
/// number of the store.
///
/// A part of a page is held of each store at a time. As places are of values, an object that is there all the time, and whose values
/// stay, is met once, whatever is written meanwhile.
///
/// `@unchecked Sendable`. Because it is used by the answer to one request only, one call after the other, on the loop of its gateway.
final class ShardMerge: @unchecked Sendable {
  /// The place of an object in the results.
  struct Place: Hashable {
    let cursor: Cursor
    let shard: Int
  }

  /// The parts of a query behind its order that are about all objects together, and not those of one store.
  struct Selection {
    /// The values at the end of a place of which each combination is shown once, with its first object; 0: all objects are.
    var distinctValues = 0
    /// The most objects; nil: all.
    var limit: Int?

    /// Whether it depends on the objects before a place which of those behind it are shown.
    var hasPast: Bool { distinctValues > 0 || limit != nil }
  }

  /// The bytes that there are of an object.
  enum Content: Sendable {
    case objects(Representation)
    /// The key of its section, as the member `key` of a document.
    case sectionKeys(SectionKey, Representation)
  }

  private struct Source: Sendable {
    var part: ShardPart
    var bytes: [UInt8] = []
    var objects: ArraySlice<PartialReader.Page.Object> = []
    /// Where the next object's bytes begin.
    var start = 0
    var isLast = false
    /// The objects as they are recorded when they are shown, and what they are made of; nil: nothing is recorded.
    var observation: Observation?
    var shown: ArraySlice<Observation.Read> = []

    /// Takes the next object, and returns its bytes.
    mutating func takeObject() -> ArraySlice<UInt8> {
      let object = objects.removeFirst()
      defer { start = object.end }
      return bytes[start..<object.end]
    }

    /// Takes the recording of the next object, which begins its parts.
    mutating func takeShown() -> ArraySlice<Observation.Read> {
      let end = shown.dropFirst().firstIndex { $0.link == nil } ?? shown.endIndex
      defer { shown = shown[end...] }
      return shown[..<end]
    }
  }

  /// The bytes of a store's objects that are held at least.
  private static let smallestRoom = 64 << 10
  /// The objects that are read at once where a store has to look at all of them each time, or little is read of each.
  private static let pageOfSelection = 1_024
  /// About as many bytes as a place takes in memory.
  private static let placeSize = 256

  private let order: ResultOrder
  private let content: Content
  private let room: Int
  private let selection: Selection
  /// Where the objects begin that are shown, where those before have to be looked at as well.
  private let beginning: Place?
  /// The places of the objects that have been met, each with other distinct values, in the order of these.
  private var met: [Cursor] = []
  private var metCount = 0
  private let memory: SharedBudget.Reservation
  private var sources: [Source]
  private(set) var last: Place?
  /// The key of the section of the last object, where keys are asked for.
  private var lastSection = Mixed.null
  /// The query in the first store.
  let plan: Plan

  /// - Parameters:
  ///   - place: Where the results begin; nil: at the first object.
  ///   - room: The bytes of a page after which it ends.
  init(
    _ parts: [ShardPart], in order: ResultOrder, after place: Place?, as content: Content, room: Int,
    selecting selection: Selection = Selection()
  ) {
    precondition(
      !parts.isEmpty && (place.map { parts.indices ~= $0.shard } ?? true), "a place is in one of the stores")
    (self.order, self.content, self.room) = (order, content, room)
    self.selection = selection
    beginning = selection.hasPast ? place : nil
    let place = selection.hasPast ? nil : place
    plan = parts[0].plan
    memory = parts[0].data.store.memory.reservation(for: parts[0].call.caller)
    sources = parts.enumerated().map { index, part in
      var part = part
      part.plan.cursor = place.map { place in
        // Objects at the same place are in the order of the stores.
        index <= place.shard
          ? place.cursor
          : Cursor(values: place.cursor.values, key: ObjectKey(place.cursor.key.value - 1))
      }
      return Source(part: part)
    }
  }

  /// Calls `body` with the bytes of up to `size` objects, one after the other, and returns how many there were and whether there are more.
  func page(
    of size: Int, _ body: (ArraySlice<UInt8>) throws -> Void
  ) async throws -> (count: Int, hasMore: Bool) {
    var (count, length) = (0, 0)
    var shown: [[Observation.Read]] = sources.map { _ in [] }
    while true {
      // An observation is of one state of a store.
      for index in sources.indices where sources[index].objects.isEmpty && !shown[index].isEmpty {
        try await record(&shown[index], of: sources[index])
      }
      try await fill(for: size - count, beside: length)
      let index = metCount == selection.limit ? nil : first()
      if let index, leavesOut(sources[index].objects.first?.place, of: index) {
        _ = (sources[index].takeShown(), sources[index].takeObject())
        continue
      }
      guard let index, let object = sources[index].objects.first, count < size, length < room else {
        for index in sources.indices { try await record(&shown[index], of: sources[index]) }
        return (count, index != nil)
      }
      shown[index] += sources[index].takeShown()
      let bytes = sources[index].takeObject()
      meet(object.place)
      (last, lastSection) = (Place(cursor: object.place, shard: index), object.section)
      count += 1
      length += bytes.count
      try memory.grow(to: length + held)
      try body(bytes)
    }
  }

  /// Calls `body` with the key of each object's section, where keys are asked for, its bytes and its place.
  func readAll(_ body: (Mixed, ArraySlice<UInt8>, Place) throws -> Void) async throws {
    while try await page(of: .max, { if let last { try body(lastSection, $0, last) } }).hasMore {}
  }

  /// The bytes that are held of objects that come next, and of places.
  private var held: Int {
    sources.reduce(met.count * ShardMerge.placeSize) { $0 + ($1.objects.isEmpty ? 0 : $1.bytes.count) }
  }

  /// Whether the object at a place is not to be shown: another one has its values, or it is before the page.
  private func leavesOut(_ place: Cursor?, of shard: Int) -> Bool {
    guard let place else { return false }
    if selection.distinctValues > 0, index(of: place).isMet { return true }
    guard let beginning else { return false }
    let comparison = order.compare(place, beginning.cursor)
    guard comparison < 0 || comparison == 0 && shard <= beginning.shard else { return false }
    meet(place)
    return true
  }

  private func meet(_ place: Cursor) {
    metCount += 1
    if selection.distinctValues > 0 { met.insert(place, at: index(of: place).index) }
  }

  /// Returns the index of the place with the same distinct values, or that where it would be.
  private func index(of place: Cursor) -> (index: Int, isMet: Bool) {
    var (low, high) = (0, met.count)
    while low < high {
      let middle = (low + high) / 2
      let comparison = order.compare(met[middle], place, byLast: selection.distinctValues)
      if comparison == 0 { return (middle, true) }
      if comparison < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// Records what the client is about to be shown of a store.
  private func record(_ reads: inout [Observation.Read], of source: Source) async throws {
    guard let observation = source.observation, !reads.isEmpty else { return }
    let shown = Observation(version: observation.version, schema: observation.schema, reads: reads)
    reads = []
    try await source.part.call.recording?.record([shown], as: .query)
  }

  /// Reads on in the stores whose objects have all been taken.
  ///
  /// - Parameter length: The bytes of the page so far.
  private func fill(for wanted: Int, beside length: Int) async throws {
    let empty = sources.indices.filter { sources[$0].objects.isEmpty && !sources[$0].isLast }
    guard !empty.isEmpty else { return }
    for index in empty {
      sources[index].part.plan.pageSize =
        selection.hasPast || content.isSmall
        ? ShardMerge.pageOfSelection : ShardMerge.pageSize(for: wanted / sources.count)
    }
    // Bytes count as soon as they are read: however large objects are, those of many stores do not come together unseen.
    let total = Mutex(length + held)
    let (memory, content, room) = (memory, content, max(ShardMerge.smallestRoom, room / sources.count))
    let parts = empty.map { sources[$0].part }
    let pages = try await parts.read { part in
      let recordsReads = part.isRecorded && part.call.recording?.recordsReads == true
      let (page, bytes, observation) = try await part.data.read(for: part.call) {
        [plan = part.plan] (reader: Reader) throws -> (PartialReader.Page, [UInt8], Observation?) in
        var bytes: [UInt8] = []
        let read = { (reader: Reader) in
          switch content {
          case .objects(let representation):
            try reader.partial.page(plan, as: representation, atMost: room, into: &bytes)
          case .sectionKeys(let key, let representation):
            try reader.partial.sectionKeys(plan, by: key, as: representation, into: &bytes)
          }
        }
        guard recordsReads else { return (try read(reader), bytes, nil) }
        let (page, observation) = try reader.observing(read)
        return (page, bytes, observation)
      }
      try total.withLock {
        $0 += bytes.count
        try memory.grow(to: $0)
      }
      precondition(page.isLast || !page.objects.isEmpty, "a store that has more gives an object of it")
      precondition(
        page.objects.last?.end ?? 0 == bytes.count, "the bytes of a store are those of its objects")
      var part = part
      if let place = page.objects.last?.place { part.plan.cursor = place }
      return Source(
        part: part, bytes: bytes, objects: page.objects[...], isLast: page.isLast, observation: observation,
        shown: observation?.reads[...] ?? [])
    }
    for (index, source) in zip(empty, pages) { sources[index] = source }
  }

  /// Some more than each store's part, and of few sizes: each is a statement of its own.
  private static func pageSize(for part: Int) -> Int {
    1 << (Int.bitWidth - (part + 4).leadingZeroBitCount)
  }

  /// The store with the object that comes next; nil: there is none.
  private func first() -> Int? {
    var best: (index: Int, place: Cursor)?
    for (index, source) in sources.enumerated() {
      guard let place = source.objects.first?.place else { continue }
      if let best, order.compare(best.place, place) <= 0 { continue }
      best = (index, place)
    }
    return best?.index
  }
}

extension ShardMerge.Content {
  fileprivate var isSmall: Bool { if case .sectionKeys = self { true } else { false } }
}
