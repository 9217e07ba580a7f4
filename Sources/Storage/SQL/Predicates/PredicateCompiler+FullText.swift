import GatehouseModel
import GatehouseQuery

/// TEXT.
extension PredicateCompiler {
  /// The condition by the property's table of words; nil where joins can't say the path.
  mutating func condition(
    _ query: FullTextQuery, of path: KeyPath, _ row: RowAlias, isStrict: Bool
  ) throws(StorageError) -> SQLText? {
    guard case .value(let property) = path.end else { return nil }
    if path.isToMany {
      guard let (rows, _) = try paths.rows(of: path, from: row) else { return nil }
      let words = words(query, in: property, rows.row)
      return (isStrict || !isLooking(up: row) || query.included.isEmpty ? nil : rows.start(of: words))
        ?? rows.exists(words)
    }
    if path.hops.isEmpty { return words(query, in: property, row) }
    guard let condition = try throughLinks(path.hops[...], row, to: { $0.words(query, in: property, $1) })
    else { return nil }
    return isStrict ? "ifnull(\(condition), 0)" : condition
  }

  /// Two-valued. The longest whole word, which most likely is the rarest, finds the objects; what else must
  /// be among their words is looked up there.
  private mutating func words(_ query: FullTextQuery, in property: Int, _ row: RowAlias) -> SQLText {
    let words = row.table.wordTable(of: row.table.properties[property])
    let included = query.included.sorted { left, right in
      left.isPrefix == right.isPrefix ? left.text.utf8.count > right.text.utf8.count : right.isPrefix
    }
    var conditions: [SQLText] = []
    for (place, word) in included.enumerated() {
      let isFirst = place == 0 && isLooking(up: row)
      conditions.append(occurrence(of: word, in: words, row, isFound: isFirst))
    }
    for word in query.excluded {
      conditions.append("NOT \(occurrence(of: word, in: words, row, isFound: false))")
    }
    if included.isEmpty { conditions.append("\(row.column(property)) IS NOT NULL") }
    return "(\(SQLText.joined(conditions, " AND ")))"
  }

  /// All objects with the word, or whether this one is among them. Of a prefix the first is the better way
  /// whenever there is more than one object to look at.
  private mutating func occurrence(
    of word: FullTextQuery.Word, in words: String, _ row: RowAlias, isFound: Bool
  ) -> SQLText {
    let alias = paths.newAlias()
    let column: SQLText = "\(raw: alias).word"
    let test: SQLText =
      word.isPrefix ? column.beginning(with: word.text) : "\(column) = \(bind: .text(word.text))"
    if isFound || word.isPrefix {
      let key: SQLText = isFound ? row.key : "+\(row.key)"
      return "\(key) IN (SELECT \(raw: alias).owner FROM \(raw: words) AS \(raw: alias) WHERE \(test))"
    }
    return """
      EXISTS (SELECT 1 FROM \(raw: words) AS \(raw: alias) WHERE \(test) AND \(raw: alias).owner = \(row.key))
      """
  }
}
