import GatehouseModel

/// The groups of those who are told of commits, by number, and the producer that finds what commits mean to them.
final class SubscriberGroups {
  /// Nil: nobody watches.
  private(set) var producer: EventProducer?
  private var groups: [Int: SubscriberGroup] = [:]
  private var numbers: [Subscription: Int] = [:]
  private var lastNumber = 0

  var count: Int { groups.count }
  /// The groups that watch results.
  var ofResults: [SubscriberGroup] { groups.values.filter { $0.subscription.results != nil } }

  subscript(number: Int) -> SubscriberGroup? { groups[number] }

  /// Goes on with a producer, from where it is. Returns the groups that have no meaning in its schema.
  ///
  /// The producer before it may have ended in the middle of a change, with frames that it has not handed on, of which the new one
  /// knows nothing.
  func begin(with producer: EventProducer) -> [Int] {
    self.producer = producer
    for group in groups.values { group.discard() }
    return bindAll(producer)
  }

  /// Nobody watches any more.
  func stop() {
    precondition(groups.isEmpty, "nothing is produced where nobody watches, and only there")
    producer = nil
  }

  /// Binds all groups to another schema. Returns those that have no meaning in it.
  func rebind(to schema: Schema) -> [Int] {
    guard let producer else { return [] }
    producer.removeAll(schema: schema)
    return bindAll(producer)
  }

  private func bindAll(_ producer: EventProducer) -> [Int] {
    var meaningless: [Int] = []
    for (number, group) in groups {
      guard let bound = try? group.subscription.bound(in: producer.schema) else {
        meaningless.append(number)
        continue
      }
      group.rebind(bound)
      producer.add(group, bound)
    }
    return meaningless
  }

  /// Returns the number of the subscription's group, which is made where there is none; nil: it has no meaning in the
  /// schema as it is.
  func number(of subscription: Subscription) -> Int? {
    if let number = numbers[subscription] { return number }
    guard let producer, let bound = try? subscription.bound(in: producer.schema) else { return nil }
    precondition(producer.isCaughtUp, "a group joins where nothing lies ahead that was looked at without it")
    lastNumber += 1
    let group = SubscriberGroup(number: lastNumber, subscription, bound)
    groups[lastNumber] = group
    numbers[subscription] = lastNumber
    checkNumbers()
    producer.add(group, bound)
    return lastNumber
  }

  private func checkNumbers() {
    precondition(numbers.count == groups.count, "one subscription is one group")
  }

  /// Forgets a group, which nobody is in any more.
  func remove(_ number: Int) {
    guard let group = groups.removeValue(forKey: number) else { return }
    numbers[group.subscription] = nil
    checkNumbers()
    producer?.remove(group)
  }
}
