import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseQuery

@Suite struct ValueFunctionTests {
  @Test(
    arguments: [
      (.string("né"), .int(3)), (.data([1, 2]), .int(2)), (.list([.null, .null]), .int(2)),
      (.dictionary([Mixed.Entry(key: "a", value: .int(1))]), .int(1)), (.null, .null), (.int(7), .null),
    ] as [(Mixed, Mixed)])
  func `the size is bytes of a string or data, elements of a collection, and null of anything else`(
    value: Mixed, size: Mixed
  ) {
    #expect(ValueFunction.size.value(of: value, type: .mixed) == size)
  }

  @Test(
    arguments: [
      (.string, .string("né"), .int(3)), (.string, .null, .int(0)), (.data, .null, .int(0)),
      (.mixed, .null, .null),
    ] as [(ElementType, Mixed, Mixed)])
  func `a null among strings has the length 0, among mixed values none`(
    type: ElementType, value: Mixed, length: Mixed
  ) {
    #expect(ValueFunction.length.value(of: value, type: type) == length)
  }

  @Test(arguments: [(.null, .null), (.int(1), .int), (.list([]), .list)] as [(Mixed, ValueType)])
  func `the type of a value travels as the bits of a set of types`(value: Mixed, type: ValueType) {
    #expect(ValueFunction.type.value(of: value, type: .mixed) == .int(Int64(TypeSet(type).rawValue)))
  }

  @Test(
    arguments: [
      ("length", .string, true, .length), ("LENGTH", .data, true, .length), ("length", .mixed, true, .length),
      ("length", .int, true, nil), ("length", .string, false, nil), ("size", .string, true, nil),
      ("type", .mixed, false, nil),
    ] as [(String, ElementType, Bool, ValueFunction?)])
  func `a name is a function only behind values that have it`(
    name: String, type: ElementType, isElement: Bool, function: ValueFunction?
  ) {
    #expect(ValueFunction(name, of: type, inCollection: isElement) == function)
  }

  @Test func `a path with a function is another one than the path without`() throws {
    let filters = [
      "title == 'a'", "title.@size == 1", "tags.length == 1", "tags.@count == 1", "extra == 1",
      "extra.@size == 1", "extra.@type == 'int'",
    ]
    let predicates = try filters.map { try Library.plan($0).predicate }
    #expect(Set(predicates).count == filters.count)
  }

  @Test func `keys of two spellings that Unicode takes for one are two paths`() throws {
    let composed = try Library.plan("names['\u{e9}'] == 'x'").predicate
    let decomposed = try Library.plan("names['e\u{301}'] == 'x'").predicate
    #expect(composed != decomposed)
    #expect(try Library.plan("extra.a['\u{e9}'] == 1") != Library.plan("extra.a['e\u{301}'] == 1"))
  }

  @Test(
    arguments: [
      ("É", true, "E"), ("É", false, "e"), ("e\u{301}A", true, "eA"), ("ø", true, "ø"), ("ß", false, "ß"),
      ("ABC", true, "ABC"),
      ("ABC", false, "abc"), ("", true, ""), ("ệ", true, "e"), ("Ἄ", false, "α"), ("日本", true, "日本"),
      ("가", true, "\u{1100}\u{1161}"),
    ])
  func `a text without diacritics is decomposed and has no marks`(
    text: String, caseSensitive: Bool, plain: String
  ) {
    let value = ValueFunction.unaccented(caseSensitive: caseSensitive).value(of: .string(text), type: .string)
    guard case .string(let result) = value else {
      Issue.record("\(value)")
      return
    }
    #expect(Array(result.unicodeScalars) == Array(plain.unicodeScalars))
  }

  @Test(arguments: [.null, .int(1), .data([1])] as [Mixed])
  func `a value that is no text has no diacritics`(value: Mixed) {
    #expect(ValueFunction.unaccented(caseSensitive: true).value(of: value, type: .mixed) == value)
    #expect(ValueFunction.unaccented(caseSensitive: true).resultType(of: .string) == .string)
    #expect(ValueFunction.unaccented(caseSensitive: false).word == "@unaccented[c]")
  }
}
