import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

@testable import GatehouseStorage

/// Returns the content of an object at a version: from empty to too large for a cache of this size.
private func content(_ key: Int64, _ version: Int64) -> [UInt8] {
  Array(String(repeating: "\(key) at \(version) ", count: Int(version % 7) * Int(version % 7)).utf8)
}

private func identifier(_ key: Int64) -> [UInt8] {
  let id: Mixed =
    switch key % 4 {
    case 0: .int(key)
    case 1: .string("object \(key)")
    case 2: .string(String(repeating: "long ", count: 20) + "\(key)")
    default: .objectID(ObjectID(high: UInt64(key), low: UInt32(key)))
    }
  var bytes: [UInt8] = []
  MixedCoding.append(id, to: &bytes)
  return bytes
}

extension ObjectCache {
  @discardableResult
  fileprivate func add(
    _ table: Int, _ key: Int64, version: Int64, asOf change: Int64, _ bytes: [UInt8]
  ) -> Bool {
    bytes.withUnsafeBytes { add($0, of: table, key, version: version, asOf: change) }
  }

  /// Returns the finding, and the bytes that were appended.
  fileprivate func find(_ table: Int, _ key: Int64, asOf change: Int64) -> (Finding, [UInt8]) {
    var bytes = Array("before".utf8)
    let finding = append(table, key, asOf: change, to: &bytes)
    return (finding, Array(bytes.dropFirst(6)))
  }
}

@Test(arguments: [1, 2, 3] as [UInt64])
func `a cache gives an object as it was added last, or not at all`(seed: UInt64) {
  struct Name: Hashable {
    let table: Int
    let key: Int64
  }
  var random = SeededGenerator(seed: seed)
  let cache = ObjectCache(budget: 1 << 20)
  var versions: [Name: Int64] = [:]
  var found = (objects: 0, keys: 0, none: 0)
  for version in 1...30_000 as ClosedRange<Int64> {
    let name = Name(table: .random(in: 0..<2, using: &random), key: .random(in: 0..<500, using: &random))
    switch UInt8.random(in: 0..<4, using: &random) {
    case 0:
      // Content that is too large for the cache leaves the entries that were there.
      let bytes = content(name.key, version)
      cache.add(name.table, name.key, version: version, asOf: 50_000, bytes)
      if bytes.count <= 2048 - MemoryLayout<SetAssociativeCache.Header>.size { versions[name] = version }
    case 1: cache.add(name.table, name.key, identifier: identifier(name.key))
    case 2:
      let (finding, bytes) = cache.find(name.table, name.key, asOf: 50_000)
      guard finding != .unknown, let version = versions[name] else {
        found.none += 1
        continue
      }
      found.objects += 1
      #expect(finding == .current(version: version))
      #expect(bytes == content(name.key, version))
    default:
      guard let key = cache.key(name.table, identifier(name.key)) else { continue }
      found.keys += 1
      #expect(key == name.key)
    }
  }
  #expect(found.objects > 500 && found.keys > 500 && found.none > 500, "\(found)")
}

@Test func `what is confirmed holds as of that change`() {
  let cache = ObjectCache(budget: 1 << 20)
  cache.add(0, 7, version: 2, asOf: 3, Array("{}".utf8))
  #expect(cache.find(0, 7, asOf: 3) == (.current(version: 2), Array("{}".utf8)))
  #expect(cache.find(0, 7, asOf: 9) == (.unsure(version: 2), []))
  #expect(cache.find(1, 7, asOf: 3) == (.unknown, []))
  #expect(cache.add(0, 7, version: 2, asOf: 3, Array("other".utf8)))
  #expect(!cache.add(1, 7, version: 2, asOf: 3, Array("other".utf8)))
  var bytes: [UInt8] = []
  #expect(!cache.confirm(0, 7, version: 1, asOf: 9, to: &bytes) && bytes.isEmpty)
  #expect(cache.confirm(0, 7, version: 2, asOf: 9, to: &bytes) && bytes == Array("{}".utf8))
  #expect(cache.find(0, 7, asOf: 9) == (.current(version: 2), Array("{}".utf8)))
  #expect(!cache.add(0, 7, version: 10, asOf: 11, Array("[]".utf8)))
  #expect(cache.find(0, 7, asOf: 11) == (.current(version: 10), Array("[]".utf8)))
}

@Test func `what is newer than the state that it was read for is not taken for what was there then`() {
  let cache = ObjectCache(budget: 1 << 20)
  cache.add(0, 7, version: 5, asOf: 3, Array("{}".utf8))
  #expect(cache.find(0, 7, asOf: 3).0 == .unsure(version: 5))
  #expect(cache.find(0, 7, asOf: 5).0 == .current(version: 5))
  var bytes: [UInt8] = []
  #expect(cache.confirm(0, 7, version: 5, asOf: 4, to: &bytes))
  #expect(cache.find(0, 7, asOf: 4).0 == .unsure(version: 5))
}

@Test func `what is asked for stays while others come and go`() {
  let cache = ObjectCache(budget: 1 << 20)
  let wanted = Array("wanted".utf8)
  cache.add(0, 0, version: 1, asOf: 1, wanted)
  for key in 1...20_000 as ClosedRange<Int64> {
    cache.add(0, key, version: 1, asOf: 1, Array(repeating: 0, count: 1000))
    guard key % 4 == 0 else { continue }
    let (finding, bytes) = cache.find(0, 0, asOf: 1)
    #expect(finding == .current(version: 1) && bytes == wanted, "after \(key)")
  }
  #expect(cache.find(0, 1, asOf: 1).0 == .unknown)
}

@Test func `many threads share a cache`() async {
  let cache = ObjectCache(budget: 1 << 20)
  await withTaskGroup(of: Void.self) { group in
    for seed in 0..<4 as Range<UInt64> {
      group.addTask {
        var random = SeededGenerator(seed: seed)
        for version in 1...5000 as ClosedRange<Int64> {
          let key = Int64.random(in: 0..<50, using: &random)
          cache.add(0, key, version: version, asOf: 50_000, content(key, version))
          let (finding, bytes) = cache.find(0, key, asOf: 50_000)
          if case .current(let version) = finding { #expect(bytes == content(key, version)) }
        }
      }
    }
  }
}
