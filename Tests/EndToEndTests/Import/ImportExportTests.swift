import Testing

/// `schema apply`, `import` and `export`.
struct ImportExportTests {
  @Test func `what is imported comes back object by object`() throws {
    let folder = try Folder()
    let applied = try Gatehouse.run(
      ["schema", "apply", "\(Sample.folder)/schema.json", "--data", folder.data], in: folder)
    #expect(applied.error == "2 classes, version 1\n")
    for name in ["Continent", "Country"] {
      let file = "\(Sample.folder)/\(name).ndjson"
      let imported = try Gatehouse.run(["import", name, file, "--data", folder.data], in: folder)
      try #require(imported.status == 0, "\(imported.error)")
      let exported = try Gatehouse.run(["export", name, "--data", folder.data], in: folder)
      #expect(exported.status == 0)
      #expect(try Set(exported.lines.map(JSON.init)) == Set(Sample.lines(of: file).map(JSON.init)))
    }
  }

  @Test func `a schema that is there already changes nothing`() throws {
    let folder = try Sample.nodeStore()
    let again = try Gatehouse.run(
      ["schema", "apply", "-", "--data", folder.data], input: Sample.nodeSchema, in: folder)
    #expect(again.status == 0)
    #expect(again.error == "1 classes, nothing to change\n")
  }

  @Test func `a hyphen is standard input, and links may lead forward`() throws {
    let folder = try Sample.nodeStore()
    let backwards = Sample.nodes(0..<50).split(separator: "\n").reversed().joined(separator: "\n")
    let imported = try Gatehouse.run(
      ["import", "Node", "-", "--data", folder.data], input: backwards, in: folder)
    #expect(imported.status == 0, "\(imported.error)")
    #expect(imported.output.isEmpty)
    #expect(imported.error.hasPrefix("Node: 50 objects imported in "))
    #expect(try Sample.nodeKeys(folder) == Array(0..<50))
  }

  @Test(arguments: [
    (#"{"_id":7,"label":8}"#, 4), (#"{"_id":"#, 4), (#"{"_id":0,"label":"again"}"#, 4),
    (#"{"_id":7,"label":"x","next":99}"#, 4),
  ])
  func `a bad line is named, and nothing of the file is written`(bad: String, number: Int) throws {
    let folder = try Sample.nodeStore()
    let imported = try Gatehouse.run(
      ["import", "Node", "-", "--data", folder.data],
      input: Sample.nodes(0..<2) + "\n" + bad + "\n" + Sample.nodes(2..<4), in: folder)
    #expect(imported.status == 1)
    #expect(imported.error.hasPrefix("gatehouse: standard input, line \(number): "))
    #expect(try Sample.nodeKeys(folder).isEmpty)
  }

  @Test func `with batches, those before the bad line stay`() throws {
    let folder = try Sample.nodeStore()
    let imported = try Gatehouse.run(
      ["import", "Node", "-", "--data", folder.data, "--batch", "2"],
      input: Sample.nodes(0..<5) + "[]\n", in: folder)
    #expect(imported.status == 1)
    #expect(imported.error.hasPrefix("gatehouse: standard input, line 6: "))
    #expect(
      imported.error.hasSuffix(
        "\n  4 objects had been imported, up to line 4, and stay; nothing after that line was.\n")
    )
    #expect(try Sample.nodeKeys(folder) == Array(0..<4))
  }

  @Test func `an object that is there is refused, or changed where the mode says so`() throws {
    let folder = try Sample.nodeStore()
    let line = #"{"_id":0,"label":"first"}"#
    let changed = #"{"_id":0,"label":"second"}"#
    let command = ["import", "Node", "-", "--data", folder.data]
    #expect(try Gatehouse.run(command, input: line, in: folder).status == 0)
    #expect(try Gatehouse.run(command, input: changed, in: folder).status == 1)
    #expect(try Gatehouse.run(command + ["--mode", "modified"], input: changed, in: folder).status == 0)
    let exported = try Gatehouse.run(["export", "Node", "--data", folder.data], in: folder)
    #expect(exported.output == #"{"_id":0,"label":"second","next":null}"# + "\n")
  }

  @Test(arguments: [
    (["export", "Nod"], 1, "there is no class 'Nod'; did you mean 'Node'?"),
    (["import", "Node", "/nowhere"], 1, "cannot read /nowhere: No such file or directory"),
    (["import", "Node", "-", "--mode", "some"], 2, "--mode must be error, modified or all, not 'some'"),
    (["export"], 2, "'export' needs CLASS\nTry: gatehouse help export"),
  ])
  func `a mistake is told in a sentence`(words: [String], status: Int32, text: String) throws {
    let folder = try Sample.nodeStore()
    let outcome = try Gatehouse.run(words + ["--data", folder.data], in: folder)
    #expect(outcome.status == status)
    #expect(outcome.error == "gatehouse: \(text)\n")
    #expect(outcome.output.isEmpty)
  }
}
