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
  /// The query in one store.
  struct Part {
    let call: Call
    let data: DataAccess
    var plan: Plan
  }

  /// The place of an object in the results.
  struct Place {
    let cursor: Cursor
    let shard: Int
  }

  private struct Source {
    var part: Part
    var bytes: [UInt8] = []
    var objects: ArraySlice<Reader.PlacedPage.Object> = []
    /// Where the next object's bytes begin.
    var start = 0
    var isLast = false
  }

  /// The bytes of a store's objects that are held at least.
  private static let smallestRoom = 64 << 10

  private let order: ResultOrder
  private let representation: Representation
  private let room: Int
  private let memory: SharedBudget.Reservation
  private var sources: [Source]
  private(set) var last: Place?
  /// The first store, and the query in it.
  let data: DataAccess
  let plan: Plan

  /// - Parameters:
  ///   - place: Where the results begin; nil: at the first object.
  ///   - room: The bytes of a page after which it ends.
  init(
    _ parts: [Part], in order: ResultOrder, after place: Place?, as representation: Representation, room: Int
  ) {
    (self.order, self.representation, self.room) = (order, representation, room)
    (data, plan) = (parts[0].data, parts[0].plan)
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
    while true {
      try await fill(for: size - count)
      guard let index = first() else { return (count, false) }
      if count == size || length >= room { return (count, true) }
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

  /// Reads on in the stores whose objects have all been taken.
  private func fill(for wanted: Int) async throws {
    for index in sources.indices where sources[index].objects.isEmpty && !sources[index].isLast {
      var part = sources[index].part
      part.plan.pageSize = ShardMerge.pageSize(for: wanted / sources.count)
      let (plan, representation) = (part.plan, representation)
      let room = max(ShardMerge.smallestRoom, room / sources.count)
      let (page, bytes) = try await part.data.read(for: part.call, as: .query) { reader in
        var bytes: [UInt8] = []
        let page = try reader.placedPage(plan, as: representation, atMost: room, into: &bytes)
        return (page, bytes)
      }
      if let place = page.objects.last?.place { part.plan.cursor = place }
      sources[index] = Source(part: part, bytes: bytes, objects: page.objects[...], isLast: page.isLast)
    }
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
