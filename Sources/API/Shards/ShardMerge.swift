import GatehouseAudit
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage

/// The objects of one query in several stores, put together in its order: by the sort values, then the object's key, then the
/// number of the store.
///
/// A part of a page is held of each store at a time. As places are of values, an object that is there all the time, and whose values
/// stay, is met once, whatever is written meanwhile.
///
/// `@unchecked Sendable`. Because it is used by the answer to one request only, one call after the other, on the loop of its gateway.
final class ShardMerge: @unchecked Sendable {
  /// The place of an object in the results.
  struct Place {
    let cursor: Cursor
    let shard: Int
  }

  private struct Source: Sendable {
    var part: ShardPart
    var bytes: [UInt8] = []
    var objects: ArraySlice<Reader.PlacedPage.Object> = []
    /// Where the next object's bytes begin.
    var start = 0
    var isLast = false
    /// The objects as they are recorded when they are shown, and what they are made of; nil: nothing is recorded.
    var observation: Observation?
    var shown: ArraySlice<Observation.Read> = []

    /// Takes the recording of the next object, which begins its parts.
    mutating func takeShown() -> ArraySlice<Observation.Read> {
      let end = shown.dropFirst().firstIndex { $0.link == nil } ?? shown.endIndex
      defer { shown = shown[end...] }
      return shown[..<end]
    }
  }

  /// The bytes of a store's objects that are held at least.
  private static let smallestRoom = 64 << 10

  private let order: ResultOrder
  private let representation: Representation
  private let room: Int
  private let memory: SharedBudget.Reservation
  private var sources: [Source]
  private(set) var last: Place?
  /// The query in the first store.
  let plan: Plan

  /// - Parameters:
  ///   - place: Where the results begin; nil: at the first object.
  ///   - room: The bytes of a page after which it ends.
  init(
    _ parts: [ShardPart], in order: ResultOrder, after place: Place?, as representation: Representation,
    room: Int
  ) {
    (self.order, self.representation, self.room) = (order, representation, room)
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
      try await fill(for: size - count)
      let index = first()
      guard let index, count < size, length < room else {
        for index in sources.indices { try await record(&shown[index], of: sources[index]) }
        return (count, index != nil)
      }
      shown[index] += sources[index].takeShown()
      let object = sources[index].objects.removeFirst()
      let bytes = sources[index].bytes[sources[index].start..<object.end]
      sources[index].start = object.end
      last = Place(cursor: object.place, shard: index)
      count += 1
      length += bytes.count
      try memory.grow(to: sources.reduce(length) { $0 + $1.bytes.count })
      try body(bytes)
    }
  }

  /// Records what the client is about to be shown of a store.
  private func record(_ reads: inout [Observation.Read], of source: Source) async throws {
    guard let observation = source.observation, !reads.isEmpty else { return }
    let shown = Observation(version: observation.version, schema: observation.schema, reads: reads)
    reads = []
    try await source.part.call.recording?.record([shown], as: .query)
  }

  /// Reads on in the stores whose objects have all been taken.
  private func fill(for wanted: Int) async throws {
    let empty = sources.indices.filter { sources[$0].objects.isEmpty && !sources[$0].isLast }
    guard !empty.isEmpty else { return }
    for index in empty {
      sources[index].part.plan.pageSize = ShardMerge.pageSize(for: wanted / sources.count)
    }
    let (representation, room) = (representation, max(ShardMerge.smallestRoom, room / sources.count))
    let parts = empty.map { sources[$0].part }
    let pages = try await parts.read { part in
      let recordsReads = part.call.recording?.recordsReads == true
      let (page, bytes, observation) = try await part.data.read(for: part.call) {
        [plan = part.plan] (reader: Reader) throws -> (Reader.PlacedPage, [UInt8], Observation?) in
        var bytes: [UInt8] = []
        let read = { (reader: Reader) in
          try reader.placedPage(plan, as: representation, atMost: room, into: &bytes)
        }
        guard recordsReads else { return (try read(reader), bytes, nil) }
        let (page, observation) = try reader.observing(read)
        return (page, bytes, observation)
      }
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
