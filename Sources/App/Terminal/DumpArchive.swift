import GatehouseBSON

/// The documents of one collection in what `mongodump --archive` has written (mongo-tools, `common/archive`): bytes in,
/// documents out.
///
///     magic number ─▶ header, a document per collection ─▶ end ─▶ ┌ namespace, documents ─▶ end ┐ ─▶ …
///                                                                 └─────────────────────────────┘
/// All numbers are little-endian; an end is the length -1. The documents of several collections take turns.
struct DumpArchive {
  /// Why bytes are no such archive.
  enum Failure: Error, Hashable {
    case notAnArchive
    case malformed(offset: Int)
    /// It ends in the middle.
    case cut
    case noCollection(String, known: [String])
  }

  private enum Place {
    case magic, prelude, namespace, documents
  }

  private static let magic = 0x8199_E26D
  /// The most bytes of a document: MongoDB's are 16 MiB, and some of its own a little more.
  private static let longest = 32 << 20

  /// The name of a collection, with or without its database before it.
  private let wanted: String
  private var place = Place.magic
  private var bytes: [UInt8] = []
  private var start = 0
  /// The bytes before those at hand.
  private var offset = 0
  private var isWanted = false
  private(set) var known: [String] = []
  /// The collections of which more has to come.
  private var open: Set<String> = []

  init(collection: String) { wanted = collection }

  /// Returns the documents that the next bytes complete, one after the other.
  mutating func documents(in piece: some Sequence<UInt8>) throws(Failure) -> [UInt8] {
    bytes += piece
    var documents: [UInt8] = []
    while let length = bytes.length(at: start) {
      switch (place, length) {
      case (.magic, _):
        guard length & 0xFFFF_FFFF == Self.magic else { throw .notAnArchive }
        (start, place) = (start + 4, .prelude)
      case (.prelude, -1): (start, place) = (start + 4, .namespace)
      case (.documents, -1): (start, place) = (start + 4, .namespace)
      case (_, 5...Self.longest):
        guard bytes.count - start >= length else { return finished(documents) }
        let document = bytes[start..<start + length]
        start += length
        switch place {
        case .namespace: try enter(document)
        case .documents: if isWanted { documents += document }
        case .magic, .prelude: break
        }
      default: throw .malformed(offset: offset + start)
      }
    }
    return finished(documents)
  }

  private mutating func finished(_ documents: [UInt8]) -> [UInt8] {
    precondition(start <= bytes.count, "what was read was there")
    offset += start
    bytes.removeSubrange(..<start)
    start = 0
    return documents
  }

  private mutating func enter(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    guard let namespace = try? Document(bson: Array(bytes)),
      case .string(let collection)? = namespace["collection"],
      case .string(let database)? = namespace["db"]
    else { throw .malformed(offset: offset + start - bytes.count) }
    let name = "\(database).\(collection)"
    if !known.contains(name), known.count < 1_000 { known.append(name) }
    isWanted = wanted == name || wanted == collection
    if namespace["EOF"] == .bool(true) { open.remove(name) } else { open.insert(name) }
    place = .documents
  }

  /// Throws where the bytes so far are no whole archive, or the collection is not in it.
  func finish() throws(Failure) {
    switch place {
    case .magic: throw .notAnArchive
    case .namespace where bytes.isEmpty && open.isEmpty: break
    case .prelude, .namespace, .documents: throw .cut
    }
    guard
      known.contains(where: { $0 == wanted || $0.split(separator: ".", maxSplits: 1).last ?? "" == wanted })
    else { throw .noCollection(wanted, known: known) }
  }
}

extension [UInt8] {
  /// The signed number of four bytes at a place; nil: there are not as many.
  fileprivate func length(at place: Int) -> Int? {
    guard count - place >= 4 else { return nil }
    let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(self[place + $1]) << UInt32(8 * $1) }
    return Int(Int32(bitPattern: number))
  }
}
