import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// One type of elements, and all that the expected answers are made of.
private struct ElementKind: CustomTestStringConvertible {
  /// As the schema spells it, without the container.
  let name: String
  /// Distinct values as JSON has them, in Realm's order, null first.
  let values: [String]
  /// The sum of the numbers among the values; nil if there are none.
  var sum: String?
  var average: String?
  /// Whether there is a smallest and a largest value.
  var isOrdered = true
  /// Where filters, orders and aggregates find the value.
  var path = "self"
  /// The value of an object of the collection at ``path``; nil if the value is no object.
  var keys: [String]?
  var hasSet = true
  /// How an argument of a query spells the value, where JSON is not enough.
  var argument: @Sendable (String) -> String = { $0 }

  var testDescription: String { name }
  var prefix: String { path == "self" ? "" : path + "." }
}

private let kinds: [ElementKind] = [
  ElementKind(name: "bool", values: ["false", "true"], isOrdered: false),
  ElementKind(name: "bool?", values: ["null", "false", "true"], isOrdered: false),
  ElementKind(name: "int", values: ["-3", "0", "7", "20"], sum: "24", average: "6.0"),
  ElementKind(name: "int?", values: ["null", "-5", "12"], sum: "7", average: "3.5"),
  ElementKind(name: "float", values: ["-1.5", "0.25", "3.25"], sum: "2.0", average: "0.6666666666666666"),
  ElementKind(name: "float?", values: ["null", "0.5", "1.5"], sum: "2.0", average: "1.0"),
  ElementKind(
    name: "double", values: ["-2.5", "0.5", "1e+300"], sum: "1e+300", average: "3.3333333333333335e+299"),
  ElementKind(name: "double?", values: ["null", "2.5", "4.5"], sum: "7.0", average: "3.5"),
  ElementKind(
    name: "decimal128", values: [#""-1.50""#, #""3""#, #""4.5""#], sum: #""6.00""#, average: #""2.00""#),
  ElementKind(
    name: "decimal128?", values: ["null", #""0.1""#, #""0.3""#], sum: #""0.4""#, average: #""0.2""#),
  ElementKind(name: "string", values: [#""""#, #""a""#, #""é""#, #""キー""#], isOrdered: false),
  ElementKind(name: "string?", values: ["null", #""x""#, #""y""#], isOrdered: false),
  ElementKind(name: "data", values: [#""""#, #""AQID""#, #""/w==""#], isOrdered: false, argument: binary),
  ElementKind(name: "data?", values: ["null", #""AQ==""#, #""/w==""#], isOrdered: false, argument: binary),
  ElementKind(name: "date", values: [#""1999-12-31T23:59:59Z""#, #""2024-02-29T00:00:00.123456789Z""#]),
  ElementKind(name: "date?", values: ["null", #""2024-01-01T00:00:00Z""#, #""2025-01-01T00:00:00Z""#]),
  ElementKind(
    name: "objectId", values: [#""650000000000000000000001""#, #""ffffffffffffffffffffffff""#],
    isOrdered: false),
  ElementKind(
    name: "objectId?", values: ["null", #""650000000000000000000002""#, #""650000000000000000000003""#],
    isOrdered: false),
  ElementKind(
    name: "uuid",
    values: [#""00000000-0000-0000-0000-000000000001""#, #""ffffffff-ffff-4fff-bfff-ffffffffffff""#],
    isOrdered: false),
  ElementKind(
    name: "uuid?", values: ["null", #""00000000-0000-0000-0000-000000000002""#], isOrdered: false),
  ElementKind(
    name: "mixed", values: ["null", "true", "5", #""text""#], sum: #"{"$numberDecimal":"5"}"#,
    average: #"{"$numberDecimal":"5"}"#),
  // Links, shown as primary keys.
  ElementKind(
    name: "Other", values: ["1", "2", "3"], sum: "6", average: "2.0", path: "id", keys: ["1", "2", "3"]),
  // Embedded objects.
  ElementKind(
    name: "Inner", values: [#"{"x":-1}"#, #"{"x":4}"#, #"{"x":9}"#], sum: "12", average: "4.0", path: "x",
    keys: ["-1", "4", "9"], hasSet: false),
]

/// Base64 as an argument: a plain string would stay one.
@Sendable private func binary(_ json: String) -> String {
  json == "null" ? json : #"{"$binary":{"base64":\#(json),"subType":"00"}}"#
}

/// Sends requests to one object, and what they do to plain arrays and dictionaries of Swift's.
private struct Table {
  let fixture: Fixture
  let kind: ElementKind
  private let base = "/v1/collections/A/1/"

  private func expect(
    _ method: GatehouseHTTP.Method, _ target: String, _ content: String? = nil, _ status: UInt16 = 200,
    _ text: String? = nil
  ) async throws {
    let fields = content == nil ? [:] : ["content-type": "application/json"]
    let answer = try await fixture.send(method, base + target, fields, content.map { Array($0.utf8) })
    #expect(answer.status == status, "\(method) \(target) \(content ?? ""): \(answer.text)")
    if let text { #expect((status < 400 ? answer.text : answer.code) == text, "\(method) \(target)") }
  }

  private func get(_ target: String, _ text: String) async throws {
    try await expect(.get, target, nil, 200, text)
  }

  private func array(_ values: some Sequence<String>) -> String { "[" + values.joined(separator: ",") + "]" }

  private func document(_ entries: [(String, String)]) -> String {
    "{" + entries.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
  }

  private var values: [String] { kind.values }
  private var first: String { values[0] }
  private var last: String { values[values.count - 1] }

  /// `path == value` as parameters.
  private func filter(_ value: String) -> String {
    let index = values.firstIndex(of: value) ?? 0
    let argument = kind.argument(kind.keys?[index] ?? value)
    return "filter=\((kind.path + " == $0").percentEncoded)&args=\("[\(argument)]".percentEncoded)"
  }

  private func filterAll() -> String { "filter=TRUEPREDICATE" }

  /// Aggregates of all the values, each of which is there once, or of nothing.
  private func aggregates(of place: String, isEmpty: Bool) async throws {
    let names = ["@min", "@max", "@sum", "@avg"].map { kind.prefix + $0 }
    let known = kind.keys ?? values
    if kind.isOrdered {
      let least = known.first { $0 != "null" } ?? "null"
      let bounds = isEmpty ? ["null", "null"] : [least, known[known.count - 1]]
      try await get(
        "\(place)?aggregate=\(names[0]),\(names[1])",
        document([(names[0], bounds[0]), (names[1], bounds[1])]))
    } else {
      try await expect(.get, "\(place)?aggregate=\(names[0])", nil, 400, "invalid_query")
      try await expect(.get, "\(place)?aggregate=\(names[1])", nil, 400, "invalid_query")
    }
    if let sum = kind.sum, let average = kind.average {
      let nothing =
        kind.name.hasPrefix("decimal")
        ? #""0""#
        : kind.name == "mixed"
          ? #"{"$numberDecimal":"0"}"#
          : kind.name.hasPrefix("float") || kind.name.hasPrefix("double") ? "0.0" : "0"
      try await get(
        "\(place)?aggregate=\(names[2]),\(names[3]),@count",
        document([
          (names[2], isEmpty ? nothing : sum), (names[3], isEmpty ? "null" : average),
          ("@count", isEmpty ? "0" : "\(values.count)"),
        ]))
    } else {
      try await expect(.get, "\(place)?aggregate=\(names[2])", nil, 400, "invalid_query")
      try await expect(.get, "\(place)?aggregate=\(names[3])", nil, 400, "invalid_query")
    }
  }

  /// The pages of a collection of all values, two by two.
  private func pages(of place: String, _ page: (ArraySlice<Int>) -> String) async throws {
    var target: String? = base + place + "?limit=2"
    for start in stride(from: 0, to: values.count, by: 2) {
      let answer = try await fixture.send(.get, try #require(target))
      let numbers = Array(values.indices)[start..<min(start + 2, values.count)]
      #expect(answer.text == page(numbers), "page of \(place) from \(start)")
      target = answer.fields["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
    }
    #expect(target == nil)
  }

  func map() async throws {
    try await get("m", "{}")
    try await aggregates(of: "m", isEmpty: true)
    let keys = values.indices.map { "k\($0)" }
    for (key, value) in zip(keys, values) { try await expect(.put, "m/\(key)", value, 201, "") }
    let all = document(Array(zip(keys, values)))
    try await get("m", all)
    try await get("m?only=keys", array(keys.map { "\"\($0)\"" }))
    try await get("m?only=values", array(values))
    try await get("m?only=count", "\(values.count)")
    for (key, value) in zip(keys, values) { try await get("m/\(key)", value) }
    try await expect(.get, "m/none", nil, 404, "entry_not_found")
    try await get("m?contains=k0", "true")
    try await get("m?contains=none", "false")
    try await pages(of: "m") { numbers in document(numbers.map { (keys[$0], values[$0]) }) }
    try await get("m?\(filter(last))", document([(keys[values.count - 1], last)]))
    try await get("m?\(filter(last))&only=count", "1")
    try await get("m?sort=\(kind.path)", array(values))
    try await get("m?sort=-\(kind.path)", array(values.reversed()))
    try await aggregates(of: "m", isEmpty: false)
    try await expect(.put, "m/k0", last, 204, "")
    try await get("m/k0", last)
    try await expect(.patch, "m?uniquing=old", document([("k0", first), ("z", first)]), 204, "")
    try await get("m", document([("k0", last)] + Array(zip(keys, values)).dropFirst() + [("z", first)]))
    try await expect(.patch, "m?uniquing=error", document([("y", first), ("z", last)]), 409, "entry_exists")
    try await expect(.get, "m/y", nil, 404, "entry_not_found")
    try await expect(.patch, "m", document([("k0", first), ("z", last)]), 204, "")
    try await get("m/k0", first)
    try await get("m/z", last)
    try await expect(.delete, "m/z", nil, 204, "")
    try await expect(.delete, "m/z", nil, 204, "")
    try await get("m", all)
    try await expect(.put, "m", document([("b", last), ("a", first)]), 204, "")
    try await get("m", document([("a", first), ("b", last)]))
    try await expect(.delete, "m", nil, 204, "")
    try await get("m", "{}")
  }

  func list() async throws {
    try await get("l", "[]")
    try await aggregates(of: "l", isEmpty: true)
    try await expect(.post, "l", first, 204, "")
    try await expect(.post, "l", array(values.dropFirst()), 204, "")
    try await get("l", array(values))
    try await get("l?only=count", "\(values.count)")
    for (index, value) in values.enumerated() {
      try await get("l/\(index)", value)
      try await get("l/\(index - values.count)", value)
      // Embedded objects have no identity to look for.
      if kind.name == "Inner" { continue }
      try await get("l?indexOf=\(value.percentEncoded)", "\(index)")
      try await get("l?contains=\(value.percentEncoded)", "true")
    }
    try await expect(.get, "l/\(values.count)", nil, 404, "index_out_of_range")
    try await pages(of: "l") { numbers in array(numbers.map { values[$0] }) }
    try await get("l?\(filter(last))", array([last]))
    try await get("l?\(filterAll())&only=count", "\(values.count)")
    try await get("l?sort=-\(kind.path)", array(values.reversed()))
    try await aggregates(of: "l", isEmpty: false)
    try await expect(.post, "l?at=1", last, 204, "")
    try await get("l", array([first, last] + values.dropFirst()))
    if kind.name != "Inner" { try await get("l?indexOf=\(last.percentEncoded)", "1") }
    try await expect(.delete, "l/1", nil, 204, "")
    try await expect(.patch, "l", #"{"move":{"from":0,"to":-1}}"#, 204, "")
    try await get("l", array(values.dropFirst() + [first]))
    try await expect(.put, "l/-1", last, 204, "")
    try await expect(.put, "l/0", first, 204, "")
    try await get("l/0", first)
    try await get("l/-1", last)
    try await expect(.put, "l/\(values.count)", first, 404, "index_out_of_range")
    try await expect(.put, "l", array(values), 204, "")
    try await expect(.delete, "l?from=0&count=2", nil, 204, "")
    try await get("l", array(values.dropFirst(2)))
    try await expect(.delete, "l?from=0&count=9", nil, 404, "index_out_of_range")
    try await get("l", array(values.dropFirst(2)))
    try await expect(.delete, "l", nil, 204, "")
    try await get("l", "[]")
  }

  func set() async throws {
    try await get("s", "[]")
    try await aggregates(of: "s", isEmpty: true)
    try await expect(.post, "s", last, 204, "")
    try await expect(.post, "s", array(values), 204, "")
    try await get("s", array(values))
    try await get("s?only=count", "\(values.count)")
    for value in values { try await get("s?contains=\(value.percentEncoded)", "true") }
    try await expect(.get, "s/0", nil, 400, "index_into_set")
    try await pages(of: "s") { numbers in array(numbers.map { values[$0] }) }
    try await get("s?\(filter(last))", array([last]))
    try await get("s?sort=-\(kind.path)", array(values.reversed()))
    try await aggregates(of: "s", isEmpty: false)
    try await expect(.patch, "s", #"{"subtract":[\#(first)]}"#, 204, "")
    try await get("s?contains=\(first.percentEncoded)", "false")
    try await get("s", array(values.filter { $0 != first }))
    try await expect(.patch, "s", #"{"union":[\#(first),\#(last)]}"#, 204, "")
    try await get("s", array(values))
    try await expect(.patch, "s", #"{"intersect":[\#(first)]}"#, 204, "")
    try await get("s", array([first]))
    try await expect(.put, "s", array(values + values), 204, "")
    try await get("s", array(values))
    try await expect(.delete, "s", nil, 204, "")
    try await get("s", "[]")
  }
}

@Test(arguments: kinds.indices)
func `every operation on collections of every type answers as plain Swift would`(index: Int) async throws {
  let kind = kinds[index]
  let set = kind.hasSet ? #","s":"\#(kind.name)<>""# : ""
  let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","m":"\(kind.name){}","l":"\(kind.name)[]"\(set)}},
     {"name":"Other","primaryKey":"id","properties":{"id":"int"}},
     {"name":"Inner","embedded":true,"properties":{"x":"int"}}]
    """
  try await Fixture.with(schema) { fixture in
    for id in 1...3 { _ = try await fixture.send(.post, "/v1/collections/Other", json: #"{"id":\#(id)}"#) }
    try #require(try await fixture.send(.post, "/v1/collections/A", json: #"{"id":1}"#).status == 201)
    let table = Table(fixture: fixture, kind: kind)
    try await table.map()
    try await table.list()
    if kind.hasSet { try await table.set() }
  }
}
