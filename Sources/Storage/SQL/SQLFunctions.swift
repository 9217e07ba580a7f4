import GatehouseBSON
import GatehouseModel
import GatehouseQuery
package import GatehouseSQLite

/// The functions and collations that our SQL text relies on, beyond SQLite's own.
package enum SQLFunctions {
  package static func register(on connection: Connection) throws(DatabaseError) {
    try connection.createCollation("decimal128", compareDecimals)
    try connection.createFunction("without_link", argumentCount: 3) { arguments, answer in
      replaceLink(arguments, with: { _ in .null }, &answer)
    }
    try connection.createFunction("with_link", argumentCount: 4) { arguments, answer in
      replaceLink(
        arguments, with: { .link(ObjectLink(objectType: $0, key: ObjectKey(arguments.int64(at: 3)))) },
        &answer)
    }
    // with_class(mixed, class, other): the value with links to objects of the class as links to those of another.
    try connection.createFunction("with_class", argumentCount: 3) { arguments, answer in
      guard let value = MixedCoding.decode(arguments.blob(at: 0)) else { return answer.null() }
      let rename = ClassRename(
        from: String(decoding: arguments.text(at: 1), as: UTF8.self),
        to: String(decoding: arguments.text(at: 2), as: UTF8.self))
      var bytes: [UInt8] = []
      MixedCoding.append(value.renamingLinks(rename), to: &bytes)
      answer.blob(bytes)
    }
    try connection.createFunction("mixed_order", argumentCount: 1) { arguments, answer in
      var bytes: [UInt8] = []
      guard let value = Mixed(arguments, at: 0), value != .null else { return answer.null() }
      MixedSortKey.append(value, to: &bytes)
      answer.blob(bytes)
    }
    // mixed_part(mixed, steps): what the keys and places of a list lead to inside the value; null where there is nothing.
    try connection.createFunction("mixed_part", argumentCount: 2) { arguments, answer in
      guard let value = Mixed(arguments, at: 0),
        case .list(let steps)? = MixedCoding.decode(arguments.blob(at: 1))
      else { return answer.null() }
      answer.mixed(steps.reduce(value) { $0.part($1) })
    }
    // field_order(mixed, steps): the place in the index of a path that the steps are the rest of; null where there is nothing.
    try connection.createFunction("field_order", argumentCount: 2) { arguments, answer in
      guard let value = Mixed(arguments, at: 0),
        case .list(let steps)? = MixedCoding.decode(arguments.blob(at: 1)),
        let key = FieldKey.key(of: value, at: steps[...])
      else { return answer.null() }
      answer.blob(key)
    }
    try connection.createFunction("mixed_relates", argumentCount: 3) { arguments, answer in
      guard let value = Mixed(arguments, at: 0), let other = MixedCoding.decode(arguments.blob(at: 2)),
        let relation = Comparison.Relation(code: arguments.int64(at: 1))
      else { return answer.error("no mixed value") }
      answer.bool(relation.holds(value, other, nan: .lowest))
    }
    try connection.createFunction("text_folded", argumentCount: 1) { arguments, answer in
      guard arguments.storageClass(at: 0) == .text else { return answer.null() }
      TextMatch.folded(Array(arguments.text(at: 0))).withUnsafeBufferPointer { answer.text($0) }
    }
    try connection.createFunction("text_words", argumentCount: 1) { arguments, answer in
      guard arguments.storageClass(at: 0) == .text else { return answer.null() }
      // As JSON, which SQLite makes rows of; no word needs an escape.
      var json: [UInt8] = []
      for word in Set(Tokenizer.tokens(in: arguments.text(at: 0)).map(\.text)) {
        json += json.isEmpty ? #"[""#.utf8 : #",""#.utf8
        json += word.utf8
        json.append(UInt8(ascii: "\""))
      }
      json += json.isEmpty ? "[]".utf8 : "]".utf8
      json.withUnsafeBufferPointer { answer.text($0) }
    }
    for (name, test) in textTests {
      try connection.createFunction(name, argumentCount: 2) { arguments, answer in
        guard let (text, other) = texts(arguments) else { return answer.bool(false) }
        answer.bool(test(text, other))
      }
    }
    for (name, caseSensitive) in [("text_like", true), ("text_like_c", false)] {
      try connection.createFunction(name, argumentCount: 2) { [unowned connection] arguments, answer in
        guard let (text, pattern) = texts(arguments) else { return answer.bool(false) }
        var isStopped = false
        let isLike = TextMatch.like(text, pattern, caseSensitive: caseSensitive) {
          isStopped = connection.mustStop
          return isStopped
        }
        if isStopped { answer.interrupt() } else { answer.bool(isLike) }
      }
    }
  }

  private static func texts(_ arguments: Arguments) -> (Mixed, Mixed)? {
    guard arguments.storageClass(at: 0) == .text else { return nil }
    return (
      .string(String(decoding: arguments.text(at: 0), as: UTF8.self)),
      .string(String(decoding: arguments.text(at: 1), as: UTF8.self))
    )
  }

  /// Functions of a property's text, for which null is false, and a text.
  private static var textTests: [(name: String, test: (Mixed, Mixed) -> Bool)] {
    [
      ("text_equal_c", TextMatch.equalFolded),
      ("text_begins_c", { TextMatch.begins($0, $1, caseSensitive: false) }),
      ("text_ends", { TextMatch.ends($0, $1, caseSensitive: true) }),
      ("text_ends_c", { TextMatch.ends($0, $1, caseSensitive: false) }),
      ("text_contains_c", { TextMatch.contains($0, $1, caseSensitive: false) }),
    ]
  }

  /// Orders decimals by value; what is no decimal comes first, bytewise.
  private static func compareDecimals(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    switch (Decimal128(text: left), Decimal128(text: right)) {
    case (let left?, let right?): MixedOrder.compare(.decimal128(left), .decimal128(right))
    case (nil, _?): -1
    case (_?, nil): 1
    case (nil, nil):
      left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }
  }

  /// `without_link(mixed, class, key)`: the value with null in place of every link to that object;
  /// `with_link(mixed, class, key, other)`: with one to another object of the class.
  private static func replaceLink(
    _ arguments: Arguments, with other: (String) -> Mixed, _ answer: inout Answer
  ) {
    guard let value = MixedCoding.decode(arguments.blob(at: 0)) else { return answer.null() }
    let target = String(decoding: arguments.text(at: 1), as: UTF8.self)
    let link = ObjectLink(objectType: target, key: ObjectKey(arguments.int64(at: 2)))
    let replaced = value.replacing(link, with: other(target))
    guard replaced != .null else { return answer.null() }
    var bytes: [UInt8] = []
    MixedCoding.append(replaced, to: &bytes)
    answer.blob(bytes)
  }
}

extension Answer {
  /// Answers with a value as a mixed column has it.
  fileprivate func mixed(_ value: Mixed) {
    switch value {
    case .null: null()
    case .int(let value): int64(value)
    case .double(let value) where !value.isNaN: double(value)
    case .string(let value): text(value)
    case .bool, .float, .double, .decimal128, .data, .date, .objectID, .uuid, .link, .list, .dictionary:
      blob(value.encoded)
    }
  }
}

extension Mixed {
  /// The entry of a dictionary with a key, or the element of a list at a place, of which -1 is the last one; null: there is none.
  func part(_ step: Mixed) -> Mixed {
    switch (self, step) {
    case (.dictionary(let entries), .string(let key)):
      return entries.first { $0.key.hasSameBytes(as: key) }?.value ?? .null
    case (.list(let elements), .int(let place)):
      let index = place < 0 ? elements.count - 1 : Int(place)
      return elements.indices.contains(index) ? elements[index] : .null
    default: return .null
    }
  }

  /// Reads a mixed column's value from an argument; nil if it is not ours.
  init?(_ arguments: Arguments, at index: Int) {
    switch arguments.storageClass(at: index) {
    case .null: self = .null
    case .integer: self = .int(arguments.int64(at: index))
    case .real: self = .double(arguments.double(at: index))
    case .text: self = .string(String(decoding: arguments.text(at: index), as: UTF8.self))
    case .blob:
      guard let value = MixedCoding.decode(arguments.blob(at: index)) else { return nil }
      self = value
    }
  }
}

extension Comparison.Relation {
  /// Every relation, in the order of their codes.
  private static let coded: [Comparison.Relation] = [
    .equal(caseSensitive: true), .notEqual(caseSensitive: true), .less, .lessOrEqual, .greater,
    .greaterOrEqual, .equal(caseSensitive: false), .notEqual(caseSensitive: false),
    .beginsWith(caseSensitive: true), .beginsWith(caseSensitive: false), .endsWith(caseSensitive: true),
    .endsWith(caseSensitive: false), .contains(caseSensitive: true), .contains(caseSensitive: false),
    .like(caseSensitive: true), .like(caseSensitive: false),
  ]

  /// A number for the relation, for functions of ours.
  var code: Int64 { Int64(Self.coded.firstIndex(of: self) ?? 0) }

  init?(code: Int64) {
    guard Self.coded.indices.contains(Int(code)) else { return nil }
    self = Self.coded[Int(code)]
  }
}
