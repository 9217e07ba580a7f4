import Glibc
import Testing

@testable import GatehousePolling

/// Returns the tags of the events that are there, and what they are ready for.
private func events(_ poller: borrowing Poller, capacity: Int = 8) -> [[UInt64]] {
  var batch = EventBatch(capacity: capacity)
  var events: [[UInt64]] = []
  guard poller.wait(for: &batch, milliseconds: 0) else { return [] }
  while let event = batch.take() { events.append([event.tag, UInt64(event.readiness.rawValue)]) }
  let isOver = batch.isOver
  #expect(isOver)
  return events
}

private let input = UInt64(Readiness.input.rawValue)
private let output = UInt64(Readiness.output.rawValue)

@Test func `a descriptor is told of with its tag, for what it is watched`() throws {
  var ends: [Int32] = [0, 0]
  try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
  defer { for end in ends { close(end) } }
  let poller = try Poller()
  try poller.add(ends[0], .input, tag: 7)
  #expect(events(poller) == [])
  #expect(send(ends[1], "a", 1, 0) == 1)
  #expect(events(poller) == [[7, input]])
  poller.change(ends[0], [.input, .output], tag: 8)
  #expect(events(poller) == [[8, input | output]])
  #expect(throws: PollingError(call: "epoll_ctl", code: EEXIST)) { try poller.add(ends[0], .input, tag: 9) }
  poller.remove(ends[0])
  #expect(events(poller) == [])
}

@Test func `more events than there is room for come with the next wait`() throws {
  var ends: [Int32] = [0, 0]
  try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
  defer { for end in ends { close(end) } }
  let poller = try Poller()
  for (tag, end) in ends.enumerated() { try poller.add(end, [.output, .edgeTriggered], tag: UInt64(tag)) }
  #expect(events(poller, capacity: 1) == [[0, output]])
  #expect(events(poller, capacity: 1) == [[1, output]])
  #expect(events(poller, capacity: 1) == [])
}

@Test func `whoever rings ends a wait, once, and is no event`() throws {
  let poller = try Poller()
  poller.ring()
  poller.ring()
  var batch = EventBatch(capacity: 8)
  let wasEnded = poller.wait(for: &batch, milliseconds: -1)
  let event = batch.take()
  #expect(wasEnded && event == nil)
  let isEndedAgain = poller.wait(for: &batch, milliseconds: 0)
  #expect(!isEndedAgain)
}
