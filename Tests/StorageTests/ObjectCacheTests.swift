import BSON
import Model
import Seeded
import Testing

@testable import Storage

/// What an object shows at a version: sizes from nothing to too much for the cache.
private func content(_ id: Mixed, _ version: Int64) -> [UInt8] {
  let text = "\(id) at \(version) "
  return Array(String(repeating: text, count: Int(version % 7) * Int(version % 7)).utf8)
}

private func identifier(_ key: Int64) -> Mixed {
  switch key % 4 {
  case 0: .int(key)
  case 1: .string("object \(key)")
  case 2: .string("")
  default: .objectID(ObjectID(high: UInt64(key), low: UInt32(key)))
  }
}

@Test(arguments: [1, 2, 3] as [UInt64])
func `a cache gives an object as it was added last, or not at all`(seed: UInt64) {
  var random = SeededGenerator(seed: seed)
  var cache = ObjectCache(budget: 1 << 17)
  struct Name: Hashable {
    let table: Int
    let id: Mixed
  }
  var byKey: [Name: Int64] = [:]
  var byIdentifier: [Name: Int64] = [:]
  var found = (byKey: 0, byIdentifier: 0)
  for version in 1...30_000 as ClosedRange<Int64> {
    let (table, key) = (Int.random(in: 0..<2, using: &random), Int64.random(in: 0..<60, using: &random))
    let id = identifier(key)
    switch UInt8.random(in: 0..<4, using: &random) {
    case 0:
      cache.add(table, key: key, id: nil, version: version, checked: version, content(id, version))
      byKey[Name(table: table, id: .int(key))] = version
    case 1:
      cache.add(table, key: key, id: id, version: version, checked: version, content(id, version))
      byKey[Name(table: table, id: .int(key))] = version
      byIdentifier[Name(table: table, id: id)] = version
    case 2:
      guard let entry = cache.find(table, key: key) else { continue }
      found.byKey += 1
      #expect(entry.version == byKey[Name(table: table, id: .int(key))])
      var bytes = Array("before".utf8)
      cache.append(entry, to: &bytes)
      #expect(bytes == Array("before".utf8) + content(id, entry.version))
    default:
      guard let entry = cache.find(table, id: id) else { continue }
      found.byIdentifier += 1
      #expect(entry.version == byIdentifier[Name(table: table, id: id)])
      var bytes: [UInt8] = []
      cache.append(entry, to: &bytes)
      #expect(bytes == content(id, entry.version))
    }
  }
  #expect(found.byKey > 1000 && found.byIdentifier > 1000, "\(found)")
}

@Test func `what is confirmed counts as looked at`() {
  var cache = ObjectCache(budget: 1 << 17)
  cache.add(0, key: 7, id: .int(1), version: 2, checked: 3, Array("{}".utf8))
  let entries = [cache.find(0, key: 7), cache.find(0, id: .int(1))].compactMap(\.self)
  #expect(entries.count == 2)
  for entry in entries {
    #expect(entry.key == 7 && entry.version == 2 && entry.checked == 3)
    cache.confirm(entry, after: 9)
  }
  let (known, other) = (cache.find(0, key: 7), cache.find(1, key: 7))
  let otherID = cache.find(0, id: .string("1"))
  #expect(known?.checked == 9)
  #expect(other == nil && otherID == nil)
}

@Test func `what is asked for stays while others come and go`() {
  var cache = ObjectCache(budget: 1 << 17)
  cache.add(0, key: 0, id: nil, version: 1, checked: 1, Array("wanted".utf8))
  for key in 1...10_000 as ClosedRange<Int64> {
    cache.add(0, key: key, id: nil, version: 1, checked: 1, Array(repeating: 0, count: 1000))
    guard key % 4 == 0 else { continue }
    guard let entry = cache.find(0, key: 0) else {
      Issue.record("It is gone after \(key).")
      return
    }
    var bytes: [UInt8] = []
    cache.append(entry, to: &bytes)
    #expect(bytes == Array("wanted".utf8))
  }
  let first = cache.find(0, key: 1)
  #expect(first == nil)
}

extension ObjectCache {
  fileprivate mutating func add(
    _ table: Int, key: Int64, id: Mixed?, version: Int64, checked: Int64, _ bytes: [UInt8]
  ) {
    bytes.withUnsafeBytes { add(table, key: key, id: id, version: version, checked: checked, $0) }
  }
}
