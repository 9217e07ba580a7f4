/// Queues frames for the recipients of an event loop, in the order in which they get them.
///
/// Frames for a group that come while earlier ones are still being handed out are added to these for those who have
/// not got them: they get both in one write. Those who have come last, so that everybody is served in a circle:
///
///     recipients    0 ─────────── k ──────────── n
///     first frames  ─── got it ──▶│   both at once
///     second        afterwards    │
///
/// So nobody waits for longer than it takes to serve everybody once, however much comes.
struct DeliveryQueue<Recipient> {
  /// Frames for some of a group's recipients.
  private struct Delivery {
    /// Nil: nothing is added to it.
    let group: Int?
    let recipients: [Recipient]
    /// The recipients that have not got it.
    var range: Range<Int>
    var encoded: EncodedEvents
    var events: Int
    /// The number of the next one for the same group.
    var following: Int?
  }

  /// The deliveries for a group that have not been made, by number: together they go around the circle.
  private struct Chain {
    var first: Int
    var last: Int
  }

  private var deliveries: [Delivery] = []
  /// Deliveries are numbered; these are the first that is here, and the first that has not been made.
  private var base = 0
  private var next = 0
  /// To those before this one nothing is added.
  private var firstOpen = 0
  private var chains: [Int: Chain] = [:]

  /// Whether everything has been handed out.
  var isEmpty: Bool { next == base + deliveries.count }

  /// Adds frames for those who are in the group now.
  mutating func add(_ encoded: EncodedEvents, events: Int, to group: Int, _ recipients: [Recipient]) {
    guard let chain = chains[group].flatMap(open) else {
      let number = append(encoded, events: events, group: group, to: recipients, range: recipients.indices)
      chains[group] = Chain(first: number, last: number)
      return
    }
    precondition(
      chain.first >= next && chain.first <= chain.last && chain.last < base + deliveries.count,
      "what frames are added to still waits")
    var (number, last) = (Optional(chain.first), chain.last)
    while let current = number {
      deliveries[current - base].encoded += encoded
      deliveries[current - base].events += events
      number = deliveries[current - base].following
    }
    let served = deliveries[chain.first - base]
    let (end, start) = (deliveries[last - base].range.upperBound, served.range.lowerBound)
    for range in end <= start ? [end..<start] : [end..<served.recipients.count, 0..<start]
    where !range.isEmpty {
      let number = append(encoded, events: events, group: group, to: served.recipients, range: range)
      deliveries[last - base].following = number
      last = number
    }
    chains[group] = Chain(first: chain.first, last: last)
  }

  /// Adds frames for these, behind which nothing is added to what came before it.
  mutating func add(_ encoded: EncodedEvents, events: Int, to recipients: [Recipient]) {
    _ = append(encoded, events: events, group: nil, to: recipients, range: recipients.indices)
    close()
  }

  /// Groups are about to change: what comes from now on is for others.
  mutating func close() {
    precondition(firstOpen <= base + deliveries.count, "what nothing is added to stays so")
    firstOpen = base + deliveries.count
  }

  /// Takes what is to be handed out next, to at most `count` recipients; nil: everything has been.
  mutating func take(atMost count: Int) -> (
    encoded: EncodedEvents, events: Int, recipients: ArraySlice<Recipient>
  )? {
    precondition(count > 0, "somebody is told at a time")
    if isEmpty { return nil }
    let delivery = deliveries[next - base]
    precondition(
      delivery.range.upperBound <= delivery.recipients.count, "frames are for those who were in the group")
    let end = delivery.range.lowerBound + min(count, delivery.range.count)
    deliveries[next - base].range = end..<delivery.range.upperBound
    if end == delivery.range.upperBound { didFinish(delivery) }
    return (delivery.encoded, delivery.events, delivery.recipients[delivery.range.lowerBound..<end])
  }

  /// Returns the part of the chain that can be added to; nil: none.
  private func open(_ chain: Chain) -> Chain? {
    var first = chain.first
    while first < firstOpen {
      guard let following = deliveries[first - base].following else { return nil }
      first = following
    }
    return Chain(first: first, last: chain.last)
  }

  private mutating func append(
    _ encoded: EncodedEvents, events: Int, group: Int?, to recipients: [Recipient], range: Range<Int>
  ) -> Int {
    deliveries.append(
      Delivery(group: group, recipients: recipients, range: range, encoded: encoded, events: events))
    return base + deliveries.count - 1
  }

  /// The next delivery has been made.
  private mutating func didFinish(_ delivery: Delivery) {
    if let group = delivery.group, chains[group]?.first == next {
      if let following = delivery.following { chains[group]?.first = following } else { chains[group] = nil }
    }
    precondition(next >= base && next < base + deliveries.count, "frames are handed out once, in their order")
    next += 1
    // Now and then, since those that stay move.
    guard isEmpty || next - base > max(64, deliveries.count / 2) else { return }
    deliveries.removeSubrange(..<(next - base))
    base = next
  }
}
