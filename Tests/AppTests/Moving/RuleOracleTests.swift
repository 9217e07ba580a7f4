import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

@testable import GatehouseApp

/// Filters that rules become, beside the language of documents itself.
@Suite struct RuleOracleTests {
  private static let schema = """
    [{"name":"Free","schemaless":true},
     {"name":"Place","embedded":true,"properties":{"city":"string?","n":"int?"}},
     {"name":"Typed","primaryKey":"_id","properties":{"_id":"int","s":"string?","n":"int?","tags":"string[]","marks":"int<>",
       "place":"Place?","places":"Place[]","any":"mixed","counts":"int{}"}}]
    """

  /// Members of documents; those of typed ones are of these types.
  private static let free = [
    "", #""a":1"#, #""a":2"#, #""a":null"#, #""a":"x""#, #""a":[]"#, #""a":[1]"#, #""a":[1,2]"#,
    #""a":[null]"#,
    #""a":[[1]]"#, #""a":["x",{"b":1}]"#, #""a":{}"#, #""a":{"b":1}"#, #""a":{"b":null}"#,
    #""a":{"b":2,"c":1}"#,
    #""a":{"b":[1]}"#, #""a":{"b":[]}"#, #""a":{"b":[null,2]}"#, #""a":[{"b":1}]"#, #""a":[{"b":2},{"c":1}]"#,
    #""a":[{"b":[1]},{"b":{"d":1}}]"#, #""a":[{"b":{"d":1}}]"#, #""a":[{}]"#, #""a":[5]"#, #""a":{"d":1}"#,
    #""a":{"b":{"c":1}}"#, #""a":{"b":{"c":[1,null]}}"#, #""a":[{"b":[{"c":1},{"c":2}]}]"#,
    #""a":{"b":[{"c":1},2]}"#,
    #""a":true"#, #""a":1.0"#, #""a":0.5"#,
  ]
  private static let typed = [
    #""s":"x","n":1"#, #""s":"y","n":2,"tags":["x"]"#, #""tags":["x","y"],"marks":[1,2]"#, #""marks":[2]"#,
    #""place":{"city":"x"}"#, #""place":{"city":"y","n":2}"#, #""places":[{"city":"x"},{"city":"y","n":1}]"#,
    #""places":[{"city":"y"}]"#, #""counts":{"k":1,"j":2}"#, #""counts":{"j":1}"#, #""any":1"#, #""any":[1]"#,
    #""any":{"b":1}"#, #""any":[{"b":1},{"b":2}]"#, "",
  ]
  private static let tests = [
    "1", #""x""#, "null", #"{"$ne":1}"#, #"{"$ne":"x"}"#, #"{"$ne":null}"#, #"{"$gt":1}"#, #"{"$lte":1}"#,
    #"{"$gte":1,"$lt":2}"#, #"{"$in":[1,"x"]}"#, #"{"$in":[1,null]}"#, #"{"$nin":[1,"x"]}"#,
    #"{"$nin":[null]}"#,
    #"{"$nin":[2,null]}"#, #"{"$exists":true}"#, #"{"$exists":false}"#, #"{"$not":{"$gt":1}}"#,
    #"{"$not":{"$ne":1}}"#, #"{"$not":{"$in":["x",1]}}"#, #"{"$not":{"$exists":true}}"#,
  ]

  private static func document(_ json: String) throws -> Document {
    guard case .document(let document) = try Value(json: json) else { return [:] }
    return document
  }

  private static func expressions(on paths: [String]) -> [String] {
    paths.flatMap { path in
      tests.flatMap { test in
        let plain = #"{"\#(path)":\#(test)}"#
        return [plain, #"{"$nor":[\#(plain)]}"#, #"{"$or":[{"$nor":[{"$and":[\#(plain)]}]},{"_id":-1}]}"#]
      }
    }
  }

  @Test(arguments: [
    ("Free", free, ["a", "a.b", "a.b.c"], 100),
    (
      "Typed", typed,
      ["s", "n", "tags", "marks", "place.city", "places.city", "places.n", "counts.k", "any", "any.b"], 60
    ),
  ])
  func `a filter gives no documents that the expression keeps back, and takes all that it names`(
    name: String, members: [String], paths: [String], least: Int
  ) async throws {
    try await Shell.with { shell in
      let documents = members.indices.map { index in
        #"{"_id":\#(index)\#(members[index].isEmpty ? "" : ",\(members[index])")}"#
      }
      try shell.write(Self.schema, to: "schema.json")
      try shell.write(documents.joined(separator: "\n"), to: "documents.json")
      for command in ["schema apply @/schema.json", "import \(name) @/documents.json"] {
        let outcome = try await shell.run(command)
        try #require(outcome.code == 0, "\(command): \(outcome)")
      }
      let store = try Store(directory: "\(shell.folder)/data")
      var (exact, loose) = (0, 0)
      for text in Self.expressions(on: paths) {
        let expression = try Self.document(text)
        let filter = try Filter(expression)
        let expected = try Set(
          documents.indices.filter { try filter.matches(Self.document(documents[$0]), in: Scope(now: .now)) })
        for bound in [RuleBound.inner, .outer] {
          guard let found = try await Self.found(expression, bound, in: name, of: store, documents.indices)
          else { continue }
          let isHeld = bound == .inner ? found.isSubset(of: expected) : found.isSuperset(of: expected)
          #expect(isHeld, "\(text), \(bound): \(found.sorted()) for \(expected.sorted())")
          if found == expected { exact += 1 } else { loose += 1 }
        }
      }
      #expect(exact >= least, "\(exact) are just what they were, \(loose) are not")
      await store.close()
    }
  }

  /// The identifiers of the objects that the filter of an expression finds; nil: it has none.
  private static func found(
    _ expression: Document, _ bound: RuleBound, in name: String, of store: Store, _ ids: Range<Int>
  ) async throws -> Set<Int>? {
    let schema = store.schema
    let type = try #require(schema[name])
    let conversion = ExpressionConversion(on: type, in: schema)
    let filter: String?
    do throws(ConfigurationError) {
      filter = try conversion.filter(.document(expression), bound, at: [])
    } catch {
      return nil
    }
    return try await store.read { (reader) -> Set<Int>? in
      var found: Set<Int> = []
      for id in ids {
        let text = "_id == \(id) AND (\(filter ?? "TRUEPREDICATE"))"
        // A filter that means nothing to the class gives no rights.
        let request = QueryRequest(filter: text)
        guard let plan = try? Plan(request: request, schema: schema, objectType: name) else { return nil }
        if try reader.count(plan) == 1 { found.insert(id) }
      }
      return found
    }
  }
}
