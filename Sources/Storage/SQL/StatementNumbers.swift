import GatehouseSharing

/// Numbers the texts of statements, so that a long text has a small key.
///
/// No two texts get one number. A text that has been forgotten since it was numbered gets another one.
struct StatementNumbers {
  /// In bytes of SQL.
  private var numbers = GenerationalCache<String, Int>(budget: 4 << 20)
  /// How many numbers have been given.
  private var count = 0

  /// Returns the number of the text.
  mutating func number(of text: String) -> Int {
    if let number = numbers[text] { return number }
    let number = next()
    numbers.add(number, for: text, cost: text.utf8.count + 64)
    return number
  }

  /// Returns a number that no text has.
  mutating func next() -> Int {
    count += 1
    return count
  }
}
