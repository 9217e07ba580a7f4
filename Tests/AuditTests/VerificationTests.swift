import BSON
import FoundationEssentials
import Model
import Storage
import Synchronization
import Testing
import Workbench

@testable import Audit

/// A recorder over a store of its own, with a clock that ticks a second each time it is asked.
private final class Trailed: Sendable {
  let store: Store
  let recorder: Recorder
  let archives = Mutex<[Archive]>([])
  private let directory: String

  init() throws {
    directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    var options = StoreOptions()
    options.guardedClasses = [StoredEvent.className]
    store = try Store(directory: directory, options: options)
    let ticks = Mutex<Int64>(0)
    recorder = Recorder(
      store,
      clock: {
        ticks.withLock { ticks in
          ticks += 1
          return BSON.Date(seconds: ticks)
        }
      })
  }

  func record(_ count: Int) async throws {
    for number in 0..<count {
      try await recorder.recordEvent(
        activity: "activity \(number)", eventType: nil, data: "\u{1}é\"\(number)")
    }
  }

  func retire(before second: Int64) async throws -> Int {
    try await recorder.retire(before: BSON.Date(seconds: second)) { archive in
      self.archives.withLock { $0.append(archive) }
    }
  }

  func images() throws -> [KeyedImage] {
    try store.makeReader().images(of: StoredEvent.className, after: nil, limit: 1000)
  }

  func remove() async {
    await store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}

private func verify(
  _ images: [KeyedImage], after archives: [Archive] = [], next: Int64
) -> Verification {
  var verification = Verification()
  for archive in archives {
    for line in archive.content.split(separator: UInt8(ascii: "\n")) { verification.add(line: Array(line)) }
  }
  for image in images { verification.add(object: image.image, key: image.key) }
  verification.finish(nextKey: ObjectKey(next))
  return verification
}

extension KeyedImage {
  fileprivate func changing(_ name: String, to value: Mixed) -> (image: Mixed, key: ObjectKey) {
    guard case .dictionary(let entries) = image else { return (image, key) }
    return (
      .dictionary(entries.map { $0.key == name ? Mixed.Entry(key: name, value: value) : $0 }), key
    )
  }
}

@Test func `an untouched trail is whole`() async throws {
  let trailed = try Trailed()
  try await trailed.record(5)
  let verification = verify(try trailed.images(), next: 5)
  #expect((verification.events, verification.firstBreak) == (5, nil))
  await trailed.remove()
}

@Test(arguments: ["activity", "data", "timestamp", "_id", "chain"])
func `the first event of which anything was changed is named`(name: String) async throws {
  let trailed = try Trailed()
  try await trailed.record(5)
  let images = try trailed.images()
  var verification = Verification()
  for image in images {
    let value: Mixed =
      switch name {
      case "timestamp": .date(BSON.Date(seconds: 99))
      case "_id": .objectID(ObjectID(high: 9, low: 9))
      default: .string("forged")
      }
    let (forged, key) = image.key.value == 2 ? image.changing(name, to: value) : (image.image, image.key)
    verification.add(object: forged, key: key)
  }
  verification.finish(nextKey: ObjectKey(5))
  #expect(verification.events == 2)
  #expect(verification.firstBreak?.key == ObjectKey(2) && verification.firstBreak?.reason == .altered)
  await trailed.remove()
}

@Test func `an event that is missing, first, in between or last, is a break`() async throws {
  let trailed = try Trailed()
  try await trailed.record(5)
  let images = try trailed.images()
  func breaks(without index: Int) -> Verification.Break? {
    var images = images
    images.remove(at: index)
    return verify(images, next: 5).firstBreak
  }
  #expect(breaks(without: 0)?.reason == .gap)
  #expect(breaks(without: 2) == Verification.Break(key: ObjectKey(2), id: nil, reason: .gap))
  #expect(breaks(without: 4) == Verification.Break(key: ObjectKey(5 - 1), id: nil, reason: .cutOff))
  await trailed.remove()
}

@Test func `old events move to archives, and the chain goes on over them`() async throws {
  let trailed = try Trailed()
  try await trailed.record(6)
  // The clock ticked once for each event.
  #expect(try await trailed.retire(before: 4) == 3)
  #expect(try await trailed.retire(before: 4) == 0)
  try await trailed.record(1)
  #expect(try await trailed.retire(before: 6) == 2)
  let archives = trailed.archives.withLock { $0 }
  #expect(archives.map(\.name) == ["audit-0000000000000000000.ndjson", "audit-0000000000000000003.ndjson"])
  let images = try trailed.images()
  #expect(images.first?.key == ObjectKey(5))
  let whole = verify(images, after: archives, next: 9)
  #expect((whole.events, whole.firstBreak) == (9, nil))
  // Without the archives, what the store says of them is enough to know that nothing is missing.
  let rest = verify(images, next: 9)
  #expect((rest.events, rest.firstBreak) == (4, nil))
  #expect(verify(Array(images.dropFirst()), next: 9).firstBreak?.reason == .gap)
  #expect(verify(images, after: [archives[1]], next: 9).firstBreak == nil)
  #expect(verify(images, after: [archives[0]], next: 9).firstBreak?.reason == .gap)
  await trailed.remove()
}

@Test func `a changed line of an archive is a break`() async throws {
  let trailed = try Trailed()
  try await trailed.record(4)
  #expect(try await trailed.retire(before: 4) == 3)
  let archive = try #require(trailed.archives.withLock { $0 }.first)
  let lines = archive.content.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  var verification = Verification()
  for line in lines { verification.add(line: Array(line.replacing("activity 1", with: "activity 7").utf8)) }
  #expect(verification.firstBreak?.key == ObjectKey(1) && verification.firstBreak?.reason == .altered)
  await trailed.remove()
}

@Test func `the newest event stays, whatever its age`() async throws {
  let trailed = try Trailed()
  try await trailed.record(3)
  #expect(try await trailed.retire(before: 1000) == 2)
  #expect(try trailed.images().map(\.key) == [ObjectKey(2), ObjectKey(3)])
  await trailed.remove()
}

@Test func `a program that embeds the store records as with Realm`() async throws {
  let trailed = try Trailed()
  let scope = try trailed.recorder.beginScope(activity: "nothing")
  #expect(scope.isActive)
  try await scope.commit()
  #expect(!scope.isActive)
  await #expect(throws: AuditError.scopeNotInProgress(1)) { try await scope.commit() }
  #expect(throws: AuditError.scopeNotInProgress(1)) { try scope.cancel() }
  #expect(trailed.store.schema[StoredEvent.className] == nil)
  try trailed.recorder.updateMetadata(["user": "ann"])
  #expect(throws: AuditError.invalidMetadataKey("_id", .reserved)) {
    try trailed.recorder.updateMetadata(["_id": "x"])
  }
  #expect(throws: AuditError.invalidMetadataKey("a", .duplicate)) {
    _ = try Metadata([("a", "1"), ("a", "2")])
  }
  try await trailed.recorder.recordEvent(activity: "custom", eventType: "type", data: nil)
  let event = try #require(try trailed.images().first.flatMap { ChainedEvent($0.image, key: $0.key) })
  #expect(event.event.activity == "custom" && event.event.event == "type" && event.event.data == nil)
  #expect(try event.event.metadata == Metadata([("user", "ann")]))
  await trailed.remove()
}
