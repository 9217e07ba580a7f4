/// A cache of bounded cost that drops, in one step, what was not asked for lately.
///
/// Two generations, as in hashlru (D. Tarr, 2016): entries that are used or added belong to the young one; when that has half
/// the budget it becomes the old one, and the old one goes. So there is no list to keep in order on every use.
struct GenerationalCache<Key: Hashable, Value> {
  private let budget: Int
  private var young: [Key: (value: Value, cost: Int)] = [:]
  private var old: [Key: (value: Value, cost: Int)] = [:]
  private var youngCost = 0

  /// `budget` is in the unit of the costs that values are added with.
  init(budget: Int) {
    self.budget = budget
  }

  /// The value, which from now on counts as used.
  subscript(key: Key) -> Value? {
    mutating get {
      if let entry = young[key] { return entry.value }
      guard let entry = old[key] else { return nil }
      add(entry.value, for: key, cost: entry.cost)
      return entry.value
    }
  }

  /// Keeps the value, unless it costs more than a quarter of the budget.
  mutating func add(_ value: Value, for key: Key, cost: Int) {
    guard cost <= budget / 4 else { return }
    if youngCost + cost > budget / 2 {
      old = young
      young = [:]
      youngCost = 0
    }
    if let before = young.updateValue((value, cost), forKey: key) { youngCost -= before.cost }
    youngCost += cost
  }

  /// Forgets everything.
  mutating func removeAll() {
    self = GenerationalCache(budget: budget)
  }
}
