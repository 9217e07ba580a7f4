import GatehouseSeeded
import Testing

@testable import GatehouseFeeds

/// Events of one byte each, handed out to recipients that are numbers.
@Suite struct DeliveryQueueTests {
  /// Hands out to at most so many, and returns who got what.
  private static func take(_ queue: inout DeliveryQueue<Int>, _ count: Int) -> [String] {
    guard let (encoded, events, recipients) = queue.take(atMost: count) else { return [] }
    #expect(events == encoded.bytes.count)
    return recipients.map { "\($0):" + String(decoding: encoded.bytes, as: UTF8.self) }
  }

  private static func encoded(_ text: String) -> EncodedEvents { EncodedEvents(Array(text.utf8)) }

  @Test func `who has not got the first gets both in one write`() {
    var queue = DeliveryQueue<Int>()
    queue.add(Self.encoded("a"), events: 1, to: 7, [0, 1, 2, 3])
    #expect(Self.take(&queue, 1) == ["0:a"])
    queue.add(Self.encoded("b"), events: 1, to: 7, [0, 1, 2, 3])
    #expect(Self.take(&queue, 2) == ["1:ab", "2:ab"])
    queue.add(Self.encoded("c"), events: 1, to: 7, [0, 1, 2, 3])
    #expect(Self.take(&queue, 9) == ["3:abc"])
    #expect(Self.take(&queue, 9) == ["0:bc"])
    #expect(Self.take(&queue, 9) == ["1:c", "2:c"])
    #expect(queue.isEmpty)
    #expect(Self.take(&queue, 9) == [])
  }

  @Test func `nothing is added for others than were there`() {
    var queue = DeliveryQueue<Int>()
    queue.add(Self.encoded("a"), events: 1, to: 7, [0, 1])
    queue.close()
    queue.add(Self.encoded("b"), events: 1, to: 7, [0, 1, 2])
    queue.add(Self.encoded("c"), events: 1, to: [0, 1, 2, 3])
    queue.add(Self.encoded("d"), events: 1, to: 7, [0, 1, 2])
    #expect(Self.take(&queue, 9) == ["0:a", "1:a"])
    #expect(Self.take(&queue, 9) == ["0:b", "1:b", "2:b"])
    #expect(Self.take(&queue, 9) == ["0:c", "1:c", "2:c", "3:c"])
    #expect(Self.take(&queue, 9) == ["0:d", "1:d", "2:d"])
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `everybody gets everything in order, whatever comes when`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = DeliveryQueue<Int>()
    // Recipients are 100 times their group, and their number in it.
    var members = (0..<3).map { group in
      Array(0..<Int.random(in: 1...9, using: &generator)).map { group * 100 + $0 }
    }
    var due: [Int: [UInt8]] = [:]
    var got: [Int: [UInt8]] = [:]
    func take(_ count: Int) {
      guard let (encoded, events, recipients) = queue.take(atMost: count) else { return }
      #expect(events == encoded.bytes.count && (1...count).contains(recipients.count))
      for recipient in recipients { got[recipient, default: []] += encoded.bytes }
    }
    for byte in 0..<200 as Range<UInt8> {
      let group = Int.random(in: 0..<3, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0:
        queue.close()
        members[group].append(group * 100 + members[group].count)
      case 1:
        queue.add(EncodedEvents([byte]), events: 1, to: members.flatMap(\.self))
        for recipient in members.flatMap(\.self) { due[recipient, default: []].append(byte) }
      default:
        queue.add(EncodedEvents([byte]), events: 1, to: group, members[group])
        for recipient in members[group] { due[recipient, default: []].append(byte) }
      }
      for _ in 0..<Int.random(in: 0..<4, using: &generator) { take(Int.random(in: 1...5, using: &generator)) }
    }
    while !queue.isEmpty { take(100) }
    #expect(got == due, "seed \(seed)")
  }

  @Test func `nobody waits for more than a round`() {
    var queue = DeliveryQueue<Int>()
    let recipients = Array(0..<10)
    var waits = Array(repeating: 0, count: 10)
    queue.add(Self.encoded("x"), events: 1, to: 1, recipients)
    for _ in 0..<500 {
      // More comes than can be handed out.
      queue.add(Self.encoded("x"), events: 1, to: 1, recipients)
      for (recipient, wait) in waits.enumerated() { waits[recipient] = wait + 1 }
      for recipient in queue.take(atMost: 1)?.recipients ?? [] { waits[recipient] = 0 }
      #expect(waits.allSatisfy { $0 <= 10 })
    }
  }
}
