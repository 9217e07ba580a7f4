/// A bounded first-in, first-out queue per key, in which keys take turns (round robin): who has much waiting waits
/// for his own, not others for him.
struct RoundRobinQueue<Key: Hashable, Element> {
  /// The outcome of adding an element.
  enum Admission {
    case admitted
    /// The element is in the queue, and the last one of the key with the most is not any more.
    case displacing(Element)
    /// There is no room for it.
    case refused
  }

  let capacity: Int
  let capacityPerKey: Int
  private(set) var count = 0
  private var queues: [Key: [Element]] = [:]
  /// The keys that have elements, in the order of their turns.
  private var turns: [Key] = []

  init(capacity: Int, capacityPerKey: Int) {
    self.capacity = capacity
    self.capacityPerKey = capacityPerKey
  }

  /// Adds an element behind those of its key. Where the queue is full, the key with the most makes room for one that
  /// has less, so that many who wait from one place keep nobody else out.
  mutating func append(_ element: Element, for key: Key) -> Admission {
    let own = queues[key]?.count ?? 0
    guard own < capacityPerKey else { return .refused }
    var displaced: Element?
    if count >= capacity {
      guard let longest = queues.max(by: { $0.value.count < $1.value.count }), longest.value.count > own + 1
      else { return .refused }
      displaced = queues[longest.key]?.removeLast()
      count -= 1
    }
    if own == 0 { turns.append(key) }
    queues[key, default: []].append(element)
    count += 1
    return displaced.map { .displacing($0) } ?? .admitted
  }

  /// Removes the first element of the key whose turn it is.
  mutating func popFirst() -> Element? {
    guard !turns.isEmpty else { return nil }
    let key = turns.removeFirst()
    guard var queue = queues.removeValue(forKey: key) else { return nil }
    let element = queue.removeFirst()
    count -= 1
    if !queue.isEmpty {
      queues[key] = queue
      turns.append(key)
    }
    return element
  }

  /// Removes the first element of the key that is meant; nil: there is none.
  mutating func remove(of key: Key, where isMeant: (Element) -> Bool) -> Element? {
    guard var queue = queues[key], let index = queue.firstIndex(where: isMeant) else { return nil }
    let element = queue.remove(at: index)
    count -= 1
    queues[key] = queue.isEmpty ? nil : queue
    if queue.isEmpty { turns.removeAll { $0 == key } }
    return element
  }
}
