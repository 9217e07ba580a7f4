/// A cache of bounded cost that drops, in one step, what was not asked for lately.
///
/// Two generations, as in hashlru (D. Tarr, 2016): entries that are used or added belong to the young one; when that has half
/// the budget it becomes the old one, and the old one goes. So there is no list to keep in order on every use.
public struct GenerationalCache<Key: Hashable, Value> {
  @usableFromInline let budget: Int
  @usableFromInline var young: [Key: (value: Value, cost: Int)] = [:]
  @usableFromInline var old: [Key: (value: Value, cost: Int)] = [:]
  @usableFromInline var youngCost = 0

  /// `budget` is in the unit of the costs that values are added with.
  @inlinable public init(budget: Int) {
    self.budget = budget
  }

  @inlinable public var isEmpty: Bool { young.isEmpty && old.isEmpty }

  /// The value, which from now on counts as used.
  @inlinable public subscript(key: Key) -> Value? {
    mutating get {
      if let entry = young[key] { return entry.value }
      guard let entry = old[key] else { return nil }
      add(entry.value, for: key, cost: entry.cost)
      return entry.value
    }
  }

  /// Keeps the value in place of the key's one before. One that costs more than a quarter of the budget is not kept.
  @inlinable public mutating func add(_ value: Value, for key: Key, cost: Int = 1) {
    precondition(cost >= 0, "what is kept costs no less than nothing")
    guard cost <= budget / 4 else { return remove(key) }
    if youngCost + cost > budget / 2 {
      old = young
      young = [:]
      youngCost = 0
    }
    if let before = young.updateValue((value, cost), forKey: key) { youngCost -= before.cost }
    youngCost += cost
    precondition(
      youngCost >= 0 && youngCost <= budget / 2, "the young generation has half of the budget at most")
  }

  /// Forgets the value of a key.
  @inlinable public mutating func remove(_ key: Key) {
    if let entry = young.removeValue(forKey: key) { youngCost -= entry.cost }
    old[key] = nil
  }

  /// Forgets everything.
  @inlinable public mutating func removeAll() {
    self = GenerationalCache(budget: budget)
  }
}
