/// Gives tables and columns names that SQLite, which ignores ASCII case, takes for different ones.
struct PhysicalNames {
  private var taken: Set<String>

  init(taken: [String] = []) {
    self.taken = Set(taken.map(Self.folded))
  }

  /// The name itself where it is free, else with `~2`, `~3` … appended; then no longer free.
  mutating func take(_ name: String) -> String {
    // These beginnings belong to SQLite and to tables of our own.
    let folded = Self.folded(name)
    let name = folded.hasPrefix("sqlite_") || folded.hasPrefix("_") && folded != "_id" ? "~\(name)" : name
    var candidate = name
    var number = 2
    while !taken.insert(Self.folded(candidate)).inserted {
      candidate = "\(name)~\(number)"
      number += 1
    }
    return candidate
  }

  mutating func free(_ name: String) {
    taken.remove(Self.folded(name))
  }

  private static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}
