import Model

/// Objects of one reader as it wrote them last: plain JSON, all stored properties.
///
/// What an object shows depends on the object alone: on its row, its collections and embedded objects, each
/// change of which is a new version of the object, and on the primary keys of those that it links to, which
/// never change. So its version tells whether the bytes still hold; and as long as no object of the class
/// changed, not even that need be looked up.
///
/// The bytes are in a ring, and two tables of slots say where, by the object key and by what clients identify the
/// object by. So adding an object that will not be asked for again costs little more than a copy: nothing is
/// allocated or freed, and no table grows.
struct ObjectCache: ~Copyable {
  /// An object that was found, until the next one is added.
  struct Entry {
    fileprivate let index: Int
    fileprivate let isFoundByKey: Bool
    let key: Int64
    let version: Int64
    let checked: Int64
  }

  private var ring: ByteRing
  private let byKey: ObjectSlots
  private let byIdentifier: ObjectSlots
  /// The identifier that is looked for.
  private var identifier: [UInt8] = []

  /// `budget` is in bytes, a power of two.
  init(budget: Int) {
    ring = ByteRing(capacity: budget / 2)
    byKey = ObjectSlots(count: budget / 256)
    byIdentifier = ObjectSlots(count: budget / 256)
  }

  func find(_ table: Int, key: Int64) -> Entry? {
    let found = byKey.find(Self.hash(table, UInt64(bitPattern: key))) { slot in
      slot.key == key && slot.table == table && ring.holds(slot.place)
    }
    return found.map { entry($0, isFoundByKey: true) }
  }

  mutating func find(_ table: Int, id: Mixed) -> Entry? {
    let hash = prepareIdentifier(table, id)
    let found = byIdentifier.find(hash) { slot in
      slot.table == table && ring.holds(slot.place)
        && ring.bytes(at: slot.place, count: slot.identifierCount).elementsEqual(identifier)
    }
    return found.map { entry($0, isFoundByKey: false) }
  }

  /// Notes that the object's version is still the same after a `change` of its class.
  func confirm(_ entry: Entry, after change: Int64) {
    if entry.isFoundByKey {
      byKey[entry.index].checked = change
    } else {
      byIdentifier[entry.index].checked = change
    }
  }

  /// Appends the object to `bytes`. What is asked for again does not go with what is as old.
  mutating func append(_ entry: Entry, to bytes: inout [UInt8]) {
    var slot = entry.isFoundByKey ? byKey[entry.index] : byIdentifier[entry.index]
    let stored = ring.bytes(at: slot.place, count: slot.identifierCount + slot.count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: stored[slot.identifierCount...]))
    guard ring.isOld(slot.place) else { return }
    slot.place = ring.add(stored, UnsafeRawBufferPointer(start: nil, count: 0))
    if entry.isFoundByKey { byKey[entry.index] = slot } else { byIdentifier[entry.index] = slot }
  }

  /// Adds an object's bytes; `id` is what it was found by, if it was not by its key.
  mutating func add(
    _ table: Int, key: Int64, id: Mixed?, version: Int64, checked: Int64, _ bytes: UnsafeRawBufferPointer
  ) {
    var slot = ObjectSlots.Slot(
      hash: 0, table: table, key: key, version: version, checked: checked, place: 0, identifierCount: 0,
      count: bytes.count)
    let identifierHash = id.map { prepareIdentifier(table, $0) }
    if id == nil { identifier.removeAll(keepingCapacity: true) }
    guard identifier.count + bytes.count <= ring.largestCount else { return }
    slot.identifierCount = identifier.count
    slot.place = identifier.withUnsafeBytes { ring.add($0, bytes) }
    slot.hash = Self.hash(table, UInt64(bitPattern: key))
    byKey.add(slot)
    guard let identifierHash else { return }
    slot.hash = identifierHash
    byIdentifier.add(slot)
  }

  private func entry(_ index: Int, isFoundByKey: Bool) -> Entry {
    let slot = isFoundByKey ? byKey[index] : byIdentifier[index]
    return Entry(
      index: index, isFoundByKey: isFoundByKey, key: slot.key, version: slot.version, checked: slot.checked)
  }

  /// Makes the bytes of an identifier and returns their hash.
  private mutating func prepareIdentifier(_ table: Int, _ id: Mixed) -> UInt64 {
    identifier.removeAll(keepingCapacity: true)
    MixedCoding.append(id, to: &identifier)
    return identifier.withUnsafeBytes { bytes in
      var hash = Self.hash(table, UInt64(bytes.count))
      for start in stride(from: 0, to: bytes.count, by: 8) {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: .init(rebasing: bytes[start...].prefix(8))) }
        hash = Self.mix(hash ^ word)
      }
      return hash
    }
  }

  private static func hash(_ table: Int, _ value: UInt64) -> UInt64 {
    mix(mix(value) ^ UInt64(table))
  }

  /// The finaliser of MurmurHash3 (<https://github.com/aappleby/smhasher>): each bit of the input changes half of those
  /// of the result.
  private static func mix(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
    value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return value ^ value >> 33
  }
}
