extension Target {
  /// Whether the query has a parameter of that name, spelt without percent-encoding.
  public func hasParameter(_ name: String) -> Bool {
    withQueryBytes { query in
      guard let query, query.count > name.utf8.count else { return false }
      var start = 0
      while start < query.count {
        let end = query.index(of: UInt8(ascii: "&"), from: start)
        let nameEnd = start + name.utf8.count
        if nameEnd < end, query[nameEnd] == UInt8(ascii: "="),
          query.part(start, nameEnd).elementsEqual(name.utf8)
        {
          return true
        }
        start = end + 1
      }
      return false
    }
  }

  /// Takes the parameters of that name out of the query, and returns their values as they are spelt there.
  public mutating func removeParameters(_ name: String) -> [String] {
    let beginning = "\(name)="
    let pieces = (query ?? "").split(separator: "&")
    let others = pieces.filter { !$0.hasPrefix(beginning) }
    query = others.isEmpty ? nil : others.joined(separator: "&")
    return pieces.filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
  }
}
