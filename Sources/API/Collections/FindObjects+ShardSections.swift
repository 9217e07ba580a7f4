import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage

// The sections of a class whose objects are divided among shards. All objects are gone through twice, so that no more of them are remembered
// than the page has, and those of the page are read then.
extension FindObjects {
  func sections(
    by key: SectionKey, of parts: [ShardPart], _ selection: ShardMerge.Selection, in order: ResultOrder
  ) async throws -> Response {
    let keys = parts.map { part in
      var part = part
      part.isRecorded = false
      return part
    }
    let makeMerge = {
      ShardMerge(
        keys, in: order, after: nil, as: .sectionKeys(key, self.mediaType.representation),
        room: FindObjects.pieceSize, selecting: selection)
    }
    var counts = SectionCounts()
    // The documents of the keys, as the first object of each section has it.
    var documents: [[UInt8]] = []
    let beginning = self.beginning
    var first = beginning == nil ? 0 : nil
    try await makeMerge().readAll { key, document, place in
      let section = try counts.add(key)
      if section == documents.count { documents.append(Array(document)) }
      if place == beginning { first = section }
    }
    guard let first else { throw StorageError.cursorExpired }
    var page = SectionPage(
      of: counts, from: first, behind: beginning, size: min(query.limit ?? .max, call.limits.largestPageSize))
    try await makeMerge().readAll { key, _, place in page.add(place, to: counts.place(of: key)) }
    let objects = try await self.objects(at: page.objects, in: parts)
    let (sections, last) = try page.finish()
    var bytes: [UInt8] = mediaType.framing == .array ? [UInt8(ascii: "[")] : []
    for (index, section) in sections.enumerated() {
      if mediaType.framing == .array, index > 0 { bytes.append(UInt8(ascii: ",")) }
      try append(section, of: documents[section.index], objects, to: &bytes)
    }
    if mediaType.framing == .array { bytes.append(UInt8(ascii: "]")) }
    return response(bytes, next: last?.object.cursor, in: last?.object.shard)
  }

  private func append(
    _ section: SectionPage<ShardMerge.Place>.Section, of key: [UInt8],
    _ objects: [ShardMerge.Place: [UInt8]], to bytes: inout [UInt8]
  ) throws {
    let count = Value.int64(Int64(section.count))
    let found = section.objects.compactMap { objects[$0] }
    guard mediaType.representation != .bson else {
      var members = try Document(bson: key)
      members.append("count", count)
      members.append("objects", .array(try found.map { .document(try Document(bson: $0)) }))
      bytes += mediaType.bytes(of: .document(members))
      return
    }
    bytes += key.dropLast() + Array(",\"count\":".utf8)
    bytes += mediaType.representation == .json ? count.plainJSON : count.extendedJSON
    bytes += Array(",\"objects\":[".utf8)
    for (index, object) in found.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += object
    }
    bytes += Array("]}".utf8)
    if mediaType.framing == .sequence { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Reads the objects at places, and records them. One that is gone meanwhile is left out.
  private func objects(
    at places: [ShardMerge.Place], in parts: [ShardPart]
  ) async throws -> [ShardMerge.Place: [UInt8]] {
    let byShard = Dictionary(grouping: places, by: \.shard)
    let memory = parts[0].data.store.memory.reservation(for: call.caller)
    var (objects, held): ([ShardMerge.Place: [UInt8]], Int) = ([:], 0)
    for (shard, places) in byShard.sorted(by: { $0.key < $1.key }) {
      let part = parts[shard]
      var plan = part.plan.restricted(to: places.map(\.cursor.key))
      plan.clauses = []
      let (page, bytes) = try await part.data.read(for: part.call, as: .query, onThread: true) {
        [plan, representation = mediaType.representation] reader in
        var bytes: [UInt8] = []
        let page = try reader.partial.page(plan, as: representation, atMost: .max, into: &bytes)
        return (page, bytes)
      }
      held += bytes.count
      try memory.grow(to: held)
      let known = Dictionary(uniqueKeysWithValues: places.map { ($0.cursor.key, $0) })
      var start = 0
      for object in page.objects {
        if let place = known[object.place.key] { objects[place] = Array(bytes[start..<object.end]) }
        start = object.end
      }
    }
    return objects
  }
}
