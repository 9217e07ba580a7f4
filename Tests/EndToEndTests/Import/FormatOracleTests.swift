import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Files in other formats than our own, as Python's csv and pymongo read and write them.
@Suite(.enabled(if: Geonames.python != nil, "python3 is not installed"))
struct FormatOracleTests {
  private static let oracle = "\(Machine.root)/Tests/EndToEndTests/formats_oracle.py"

  private static let hasBSON =
    Machine.run("'\(Geonames.python ?? "python3")' '\(oracle)' has-bson").output == "true\n"

  private func ask(_ question: String, _ lines: String, _ file: String) throws {
    let answer = Machine.run(
      "'\(Geonames.python ?? "")' '\(Self.oracle)' \(question) '\(lines)' '\(file)' 2>&1")
    try #require(answer.output == "true\n", "\(question) \(file): \(answer.output)")
  }

  /// Has Python read what is exported, and import what Python writes of it into another store.
  private func compare(_ names: [String], _ schema: String, _ files: [String], in folder: Folder) throws {
    let other = try Folder()
    try run(["schema", "apply", schema, "--data", other.data], in: other)
    for name in names {
      let lines = folder.file("\(name).ndjson")
      try export(name, as: "ndjson", to: lines, from: folder)
      for (index, file) in files.enumerated() {
        let path = folder.file("\(name)-\(file)")
        let format = file.split(separator: ".").last.map(String.init) ?? ""
        try export(name, as: format, to: path, from: folder)
        try ask("same-\(format)", lines, path)
        try ask("write-\(format)", lines, path)
        try run(
          ["import", name, path, "--mode", index == 0 ? "error" : "all", "--data", other.data], in: other)
        let again = other.file("\(name).ndjson")
        try export(name, as: "ndjson", to: again, from: other)
        #expect(try other.shell("cmp '\(again)' '\(lines)'") == "")
      }
    }
  }

  private func run(_ words: [String], input: String = "", in folder: Folder) throws {
    let outcome = try Gatehouse.run(words, input: input, in: folder)
    try #require(outcome.status == 0, "\(words): \(outcome.error)")
  }

  private func export(_ name: String, as format: String, to path: String, from folder: Folder) throws {
    let words = "'\(Gatehouse.path)' export \(name) --format \(format) --data '\(folder.data)'"
    #expect(try folder.shell("{ \(words) > '\(path)' 2> errors || cat errors; }") == "")
  }

  @Test func `hostile texts go through tables of Python's`() throws {
    let folder = try Folder()
    let schema = try folder.write(Sample.nodeSchema, to: "schema.json")
    try run(["schema", "apply", schema, "--data", folder.data], in: folder)
    let texts = [
      "", " ", #"\""#, #"\"\""#, ",", #"a,\"b\""#, #"\n"#, #"a\r\nb"#, #"\r"#, #"\t"#, "é漢🧭", "\u{FEFF}x",
      "\u{2028}",
      "=1+1", "'", "NULL", "5", "true", #"{\"a\":1}"#, #"a\\"#, ";", #"\u0001"#,
    ]
    let lines = texts.enumerated().map { #"{"_id":\#($0.offset),"label":"\#($0.element)"}"# + "\n" }.joined()
    try run(["import", "Node", "-", "--data", folder.data], input: lines, in: folder)
    try compare(["Node"], schema, ["plain.csv", "quoted.csv"], in: folder)
  }

  @Test(.enabled(if: Geonames.isAvailable))
  func `all of Geonames goes through tables of Python's`() throws {
    let folder = try Folder()
    let schema = "\(Geonames.folder)/schema.json"
    try run(["schema", "apply", schema, "--data", folder.data], in: folder)
    let names = ["Continent", "Country", "City"]
    for name in names {
      try run(["import", name, "\(Geonames.folder)/\(name).ndjson", "--data", folder.data], in: folder)
    }
    try compare(names, schema, ["plain.csv"], in: folder)
  }

  @Test(.enabled(if: hasBSON, "needs pymongo; Scripts/oracle-bson --install gets it"))
  func `documents are those of pymongo`() throws {
    let folder = try Folder()
    let schema = "\(Sample.folder)/schema.json"
    try run(["schema", "apply", schema, "--data", folder.data], in: folder)
    let names = ["Continent", "Country"]
    for name in names {
      try run(["import", name, "\(Sample.folder)/\(name).ndjson", "--data", folder.data], in: folder)
    }
    try compare(names, schema, ["documents.bson"], in: folder)
  }
}
