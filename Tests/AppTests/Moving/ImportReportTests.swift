import GatehouseBSON
import Testing

@testable import GatehouseApp

/// The report of an import: files that cannot be read, and names.
@Suite struct ImportReportTests {
  private let source = AppImportTests.source

  @Test func `a file that cannot be read leaves the others`() async throws {
    let bad = #"{"roles":["# + "\n" + #"{"name":"a","apply_when":{"a":{"$oid":"x"}},"read":true}]}"#
    let app = try await AppImportTests.result(of: [
      "\(source)/default_rule.json": AppImportTests.open, "\(source)/d/bad/rules.json": bad,
      "\(source)/d/good/rules.json": AppImportTests.open,
      "\(source)/d/worse/schema.json": #"{"title":"#, "\(source)/d/worse/rules.json": AppImportTests.open,
      "\(source)/d/links/schema.json": "{}", "\(source)/d/links/relationships.json": "no",
      "\(source)/d/links/indexes.json": #"[{"key":{"$oid":"x"}}]"#,
      "services/older/rules/d.o.json": #"{"collection":"o","roles":[{"$oid":1}]}"#,
      "triggers/t.json": #"{"name":{"$numberInt":"x"}}"#, "values/v.json": #"{"value":{"$numberLong":1.5}}"#,
    ])
    // The default rule does not reach `worse`, should somebody make it later.
    let roles = try AppImportTests.roles(app)
    #expect(
      roles == """
        {"user":{"classes":{"links":{"read":true,"write":true},"good":{"read":true,"write":true}}}}
        """, "\(roles)")
    let malformed = "A value of Extended JSON is malformed."
    #expect(
      AppImportTests.refusals(app) == [
        "\(source)/d/bad/rules.json, line 2: column 31: \(malformed)",
        "\(source)/d/links/relationships.json, line 1: column 1: Here a value should begin.",
        "\(source)/d/links/indexes.json, line 1: column 9: \(malformed)",
        "\(source)/d/worse/schema.json, line 1: column 10: The text ends too early.",
        "\(source)/d/worse/rules.json, line 1: its collection is refused",
        "services/older/rules/d.o.json, line 1: column 28: \(malformed)",
        "triggers/t.json, line 1: column 9: \(malformed)", "values/v.json, line 1: column 10: \(malformed)",
      ], "\(app.result.report.text)")
    #expect(app.result.files.keys.allSatisfy { !$0.hasPrefix("triggers/") && !$0.hasPrefix("values/") })
  }

  @Test func `the report shows what would move a terminal's cursor`() async throws {
    let name = "a\u{1B}[2J\nrefused  x\u{202E}\u{2028}b\u{7F}"
    let member = String(decoding: Value.string(name).plainJSON, as: UTF8.self)
    let app = try await AppImportTests.result(of: [
      "functions/config.json": #"[{"name":\#(member)}]"#, "functions/\(name).js": "", "\(name)é.txt": "",
    ])
    let escaped = #"a\u{1B}[2J\u{A}refused  x\u{202E}\u{2028}b\u{7F}"#
    let lines = app.result.report.text.split(separator: "\n")
    #expect(lines.contains("refused  \(escaped)é.txt: there is no such part of an app"), "\(lines)")
    #expect(
      app.result.report.text.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.properties.generalCategory != .control
      })
    #expect(lines.count == app.result.report.items.count + 1)
  }

  @Test(arguments: ["mongodb+srv://u:p@h/d", "u:p@h"])
  func `the name of a cluster that is its address is not kept`(name: String) async throws {
    let config = #"{"name":"A","type":"mongodb-atlas","config":{"clusterName":"\#(name)"},"version":1}"#
    let app = try await AppImportTests.result(of: ["data_sources/f/config.json": config])
    let kept = try #require(app.result.files["data_sources/f/config.json"])
    #expect(
      String(decoding: kept, as: UTF8.self) == #"{"name":"A","type":"mongodb-atlas","config":{},"version":1}"#
        + "\n")
    #expect(app.result.report.text.contains("line 1: “config.clusterName” is not kept"))
    #expect(!app.result.report.text.contains(name))
  }

  @Test func `credentials of the old cluster are not kept`() async throws {
    let config = """
      {"name":"A","type":"mongodb-atlas","config":{"clusterName":"C","uri":"mongodb://u:p@h"},
      "secret_config":{"uri":"s"},"version":1}
      """
    let app = try await AppImportTests.result(of: ["data_sources/f/config.json": config])
    let kept = try #require(app.result.files["data_sources/f/config.json"])
    #expect(
      String(decoding: kept, as: UTF8.self)
        == #"{"name":"A","type":"mongodb-atlas","config":{"clusterName":"C"},"version":1}"# + "\n")
    let text = "is not kept: it may be a credential of the cluster that the data was in"
    #expect(
      app.result.report.text == """
        changed  data_sources/f/config.json, line 1: “config.uri” \(text)
        changed  data_sources/f/config.json, line 2: “secret_config” \(text)
        taken  data_sources/f/config.json: data source “A”, by which name clients and functions ask for the data
        1 taken, 2 to look at, 0 refused

        """)
  }
}
