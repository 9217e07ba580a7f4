import GatehouseModel

/// The structures that find objects beside the indexes of single properties: indexes over several, or over texts
/// with their case folded, and the words of texts.
extension TableLayout {
  /// Something that is made and removed as a whole. What has one name has one definition.
  struct Structure: Hashable {
    let name: String
    let definition: [String]
    let removal: [String]
    /// The properties that it keeps unique; nil: none.
    var uniqueKey: [Int]?

    static func == (left: Structure, right: Structure) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
    }
  }

  var structures: [Structure] {
    objectType.indexes.map { structure($0) } + objectType.constraints.uniqueKeys.map { uniqueStructure($0) }
      + properties.filter { $0.property.index == .fullText }.map { words(of: $0) }
  }

  /// Returns the names, as SQLite tells them, of the indexes over several properties, or of folded texts, that are not in a part
  /// of the schema.
  func indexNames(hiddenIn schema: Schema) -> [String] {
    let known = schema[objectType.name]
    let indexes = objectType.indexes.filter { known?.indexes.contains($0) != true }
    let keys = objectType.constraints.uniqueKeys.filter { known?.constraints.uniqueKeys.contains($0) != true }
    return indexes.map { String(structure($0).name.dropFirst().dropLast()) }
      + keys.map { bareUniqueName(of: $0) }
  }

  /// Names of columns have no point, so that no other name begins like that.
  private func structure(_ index: ObjectType.Index) -> Structure {
    let first = properties[index.keys[0].property]
    if let field = index.path.first {
      let name = quoted("\(first.name ?? "").(\(objectType.words(of: index).joined()))")
      return Structure(
        name: name,
        definition: [
          """
          CREATE INDEX \(name) ON \(first.child) (\(fieldOrder("value", of: index))) \
          WHERE key = \(literal(field.text))
          """
        ],
        removal: ["DROP INDEX IF EXISTS \(name)"])
    }
    guard first.isColumn else {
      let name = quoted("\(first.name ?? "").value")
      return Structure(
        name: name, definition: ["CREATE INDEX \(name) ON \(first.child) (value)"],
        removal: ["DROP INDEX IF EXISTS \(name)"])
    }
    var words: [String] = []
    var columns: [String] = []
    for key in index.keys {
      let layout = properties[key.property]
      let direction = key.isAscending ? "ASC" : "DESC"
      words.append("\(layout.name ?? "") \(key.isFolded ? "folded " : "")\(direction)")
      columns.append("\(key.isFolded ? "text_folded(\(layout.column))" : layout.column) \(direction)")
    }
    let name = quoted("\(self.name).(\(words.joined(separator: ".")))")
    return Structure(
      name: name,
      definition: ["CREATE INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))"],
      removal: ["DROP INDEX IF EXISTS \(name)"])
  }

  /// Returns SQL for the place in an index of documents that an entry has whose value is `value`: that of ``FieldKey``.
  func fieldOrder(_ value: String, of index: ObjectType.Index) -> String {
    var steps: [UInt8] = []
    MixedCoding.append(.list(index.path.dropFirst().map { .string($0.text) }), to: &steps)
    let digits = steps.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "field_order(\(value), x'\(digits)')"
  }

  /// The table of a text's words, as SQL text: `word, owner`.
  func wordTable(of layout: PropertyLayout) -> String {
    quoted("\(name).\(layout.name ?? "").words")
  }

  /// Triggers keep the words, so that whoever writes the text need not think of them.
  private func words(of layout: PropertyLayout) -> Structure {
    let words = wordTable(of: layout)
    let triggers = ["insert", "update", "delete"].map {
      quoted("\(name).\(layout.name ?? "").words.\($0)")
    }
    let insertion = """
      INSERT INTO \(words) SELECT value, new._key FROM json_each(text_words(new.\(layout.column)))
      """
    let removal = """
      DELETE FROM \(words) WHERE owner = old._key \
      AND word IN (SELECT value FROM json_each(text_words(old.\(layout.column))))
      """
    return Structure(
      name: words,
      definition: [
        """
        CREATE TABLE \(words) (word TEXT NOT NULL, owner INTEGER NOT NULL, PRIMARY KEY (word, owner)) \
        WITHOUT ROWID
        """,
        "INSERT INTO \(words) \(allWords(of: layout)) ORDER BY 1, 2",
        "CREATE TRIGGER \(triggers[0]) AFTER INSERT ON \(table) BEGIN \(insertion); END",
        """
        CREATE TRIGGER \(triggers[1]) AFTER UPDATE OF \(layout.column) ON \(table) \
        WHEN old.\(layout.column) IS NOT new.\(layout.column) BEGIN \(removal); \(insertion); END
        """,
        "CREATE TRIGGER \(triggers[2]) AFTER DELETE ON \(table) BEGIN \(removal); END",
      ],
      removal: triggers.map { "DROP TRIGGER IF EXISTS \($0)" } + ["DROP TABLE IF EXISTS \(words)"])
  }

  private func allWords(of layout: PropertyLayout) -> String {
    "SELECT value, _key FROM \(table), json_each(text_words(\(table).\(layout.column)))"
  }

  /// SQL that counts the rows that the words of a property lack, or have too many.
  func wrongWords(of layout: PropertyLayout) -> String {
    let words = "SELECT word, owner FROM \(wordTable(of: layout))"
    return """
      SELECT (SELECT count(*) FROM (\(words) EXCEPT \(allWords(of: layout)))) \
      + (SELECT count(*) FROM (\(allWords(of: layout)) EXCEPT \(words)))
      """
  }
}
