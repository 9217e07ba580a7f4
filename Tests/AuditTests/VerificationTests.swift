import FoundationEssentials
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseAudit

/// A recorder over a store of its own, with a clock that ticks a second each time it is asked.
private final class Trailed: Sendable {
  let store: Store
  let recorder: Recorder
  let archives = Mutex<[Archive]>([])
  private let directory: String

  init() throws {
    directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    var options = StoreOptions()
    options.appendOnlyClasses = [StoredEvent.className]
    store = try Store(directory: directory, options: options)
    let ticks = Mutex<Int64>(0)
    recorder = Recorder(
      store,
      clock: {
        ticks.withLock { ticks in
          ticks += 1
          return GatehouseBSON.Date(seconds: ticks)
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
    try await recorder.retire(before: GatehouseBSON.Date(seconds: second)) { archive in
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
      case "timestamp": .date(GatehouseBSON.Date(seconds: 99))
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

@Test(arguments: ["9223372036854775807", "-1"])
func `an archive whose first key no event can have is unreadable`(first: String) async throws {
  let trailed = try Trailed()
  try await trailed.record(3)
  #expect(try await trailed.retire(before: 100) == 2)
  let archive = try #require(trailed.archives.withLock { $0.first })
  let lines = archive.content.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  var verification = Verification()
  for line in lines {
    verification.add(line: Array(line.replacing("\"first\":0", with: "\"first\":\(first)").utf8))
  }
  #expect(verification.firstBreak?.reason == .unreadable)
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
  let metadata = event.event.metadata.pairs.map { "\($0.key)=\($0.value)" }
  #expect(metadata == ["caller=program", "custom=true", "user=ann"])
  for kind in ["write", "READ", " Refused", "schema\n", "retention"] {
    await #expect(throws: AuditError.reservedKind(kind)) {
      try await trailed.recorder.recordEvent(activity: "custom", eventType: kind, data: nil)
    }
  }
  #expect(throws: AuditError.invalidMetadataKey("custom", .reserved)) {
    try trailed.recorder.updateMetadata(["custom": "false"])
  }
  #expect(try trailed.images().count == 1)
  await trailed.remove()
}

@Test func `a caller stores so many events of their own in a minute, and keeps nobody else from it`() {
  var rate = EventRate(limit: 2)
  #expect([0, 30, 59].map { rate.count("a", at: $0) } == [nil, nil, 1])
  #expect(rate.count("b", at: 59) == nil)
  #expect([60, 61, 62, 119].map { rate.count("a", at: $0) } == [nil, nil, 58, 1])
  // The clock is set back, and far ahead.
  #expect(rate.count("a", at: -5) == nil && rate.count("a", at: .max) == nil)
  var many = EventRate(limit: 2)
  for number in 0..<EventRate.capacity { #expect(many.count("\(number)", at: 0) == nil) }
  #expect(many.count("new", at: 1) == 59 && many.count("7", at: 1) == nil)
  #expect(many.count("new", at: 60) == nil)
}

/// The chain of the same events, made anew from the first one that is another: what somebody does who has the file.
private func rebuilt(_ images: [Mixed], from index: Int) throws -> [Mixed] {
  var chain = Chain.origin
  return try images.enumerated().map { place, image in
    let event = try #require(ChainedEvent(image, key: ObjectKey(Int64(place))))
    var stored = event.event
    if place == index { stored.data = "forged" }
    chain = Chain.link(stored, id: event.id, after: chain)
    guard case .dictionary(let entries) = image else { return image }
    return .dictionary(
      entries.map { entry in
        switch entry.key {
        case "data": Mixed.Entry(key: "data", value: stored.data.map { .string($0) } ?? .null)
        case "chain": Mixed.Entry(key: "chain", value: .string(chain))
        default: entry
        }
      })
  }
}

/// Verifies events whose keys go on from `first`.
private func verify(
  _ images: [Mixed], from first: Int64 = 0, after archives: [Archive] = [], next: Int64, anchors: [Anchor]
) -> Verification {
  var verification = Verification(anchors: anchors)
  for archive in archives {
    for line in archive.content.split(separator: UInt8(ascii: "\n")) { verification.add(line: Array(line)) }
  }
  for (place, image) in images.enumerated() {
    verification.add(object: image, key: ObjectKey(first + Int64(place)))
  }
  verification.finish(nextKey: ObjectKey(next))
  return verification
}

@Test func `a chain that was made anew is shown by any anchor from before, and by nothing else`() async throws
{
  let trailed = try Trailed()
  var anchors = [verify([], next: 0, anchors: []).anchor]
  for count in 1...5 {
    try await trailed.record(1)
    anchors.append(verify(try trailed.images().map(\.image), next: Int64(count), anchors: []).anchor)
  }
  #expect(anchors.map(\.events) == [0, 1, 2, 3, 4, 5])
  let images = try trailed.images().map(\.image)
  let whole = verify(images, next: 5, anchors: anchors)
  #expect((whole.events, whole.metAnchors, whole.unseenAnchors, whole.firstBreak) == (5, 6, 0, nil))
  for index in images.indices {
    let forged = try rebuilt(images, from: index)
    #expect(verify(forged, next: 5, anchors: []).firstBreak == nil)
    for anchor in anchors {
      let found = verify(forged, next: 5, anchors: [anchor]).firstBreak
      #expect((found != nil) == (anchor.events > index), "\(index) \(anchor.events)")
      if let found { #expect(found.reason == .rebuilt && found.key == ObjectKey(anchor.events - 1)) }
    }
  }
  // The last ones were cut off, and the number of the next one set back.
  let cut = Array(images.prefix(3))
  #expect(verify(cut, next: 3, anchors: []).firstBreak == nil)
  #expect(verify(cut, next: 3, anchors: [anchors[3]]).firstBreak == nil)
  #expect(verify(cut, next: 3, anchors: [anchors[4]]).firstBreak?.reason == .cutOff)
  #expect(verify([], next: 0, anchors: [anchors[1]]).firstBreak?.reason == .cutOff)
  await trailed.remove()
}

@Test func `anchors hold over archives, also where these are elsewhere`() async throws {
  let trailed = try Trailed()
  try await trailed.record(4)
  let early = verify(try trailed.images().map(\.image), next: 4, anchors: []).anchor
  #expect(try await trailed.retire(before: 4) == 3)
  let archives = trailed.archives.withLock { $0 }
  let images = try trailed.images().map(\.image)
  #expect(try trailed.images().first?.key == ObjectKey(3))
  let late = verify(images, from: 3, after: archives, next: 5, anchors: []).anchor
  #expect(verify(images, from: 3, next: 5, anchors: []).anchor == late)
  let first = Anchor(events: 2, chain: String(repeating: "a", count: 64))
  let whole = verify(images, from: 3, after: archives, next: 5, anchors: [early, late])
  #expect((whole.metAnchors, whole.unseenAnchors, whole.firstBreak) == (2, 0, nil))
  #expect(verify(images, from: 3, after: archives, next: 5, anchors: [first]).firstBreak?.reason == .rebuilt)
  let rest = verify(images, from: 3, next: 5, anchors: [first, early, late])
  #expect((rest.metAnchors, rest.unseenAnchors, rest.firstBreak) == (2, 1, nil))
  await trailed.remove()
}

@Test(arguments: [
  "", "{}", #"{"events":1}"#, #"{"chain":"00","events":1}"#, #"{"chain":5,"events":1}"#, "[", "\0",
])
func `what is no anchor is none`(line: String) {
  #expect(Anchor(line: Array(line.utf8)) == nil)
}

@Test func `an anchor is one line, which may say more`() {
  let anchor = Anchor(events: 7, chain: Chain.origin)
  #expect(String(decoding: anchor.line, as: UTF8.self) == #"{"chain":"\#(Chain.origin)","events":7}"#)
  #expect(Anchor(line: anchor.line) == anchor)
  #expect(Anchor(line: Array(#"{"events":7,"by":"ann","chain":"\#(Chain.origin)"}"#.utf8)) == anchor)
}
