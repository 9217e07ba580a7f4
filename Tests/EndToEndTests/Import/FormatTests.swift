import Testing

/// `import` and `export` in formats beside an object a line.
struct FormatTests {
  private func run(
    _ words: [String], _ input: String? = nil, in folder: Folder
  ) throws -> Gatehouse.Outcome {
    try Gatehouse.run(words + ["--data", folder.data], input: input ?? "", in: folder)
  }

  @Test(arguments: ["csv", "json", "ndjson", "bson"])
  func `what is exported is imported as the same`(format: String) throws {
    let folder = try Folder()
    #expect(try run(["schema", "apply", "\(Sample.folder)/schema.json"], in: folder).status == 0)
    for name in ["Continent", "Country"] {
      #expect(try run(["import", name, "\(Sample.folder)/\(name).ndjson"], in: folder).status == 0)
    }
    let other = try Folder()
    #expect(try run(["schema", "apply", "\(Sample.folder)/schema.json"], in: other).status == 0)
    for name in ["Continent", "Country"] {
      let file = folder.file("\(name).\(format)")
      let export = "\(Gatehouse.path) export \(name) --format \(format) --data \(folder.data)"
      #expect(try folder.shell("{ \(export) > \(file) 2>/dev/null; }") == "")
      let imported = try run(["import", name, file], in: other)
      #expect(imported.status == 0, "\(imported.error)")
      #expect(try run(["export", name], in: other).output == run(["export", name], in: folder).output)
    }
  }

  @Test func `columns have other names, and unknown ones may be left out`() throws {
    let folder = try Sample.nodeStore()
    let file = try folder.write("Id,Label,more\r\n7,\"a, b\",x\r\n", to: "nodes.csv")
    let command = ["import", "Node", file, "--map", "Id=_id,Label=label"]
    let refused = try run(command, in: folder)
    #expect(refused.status == 1)
    #expect(
      refused.error
        == "gatehouse: \(file), line 1: The content is no object of the class.\n"
        + "  /more: The class has no property of that name.\n")
    #expect(try run(command + ["--ignore-unknown"], in: folder).status == 0)
    let exported = try run(["export", "Node", "--format", "csv", "--fields", "label,_id"], in: folder)
    #expect(exported.output == "label,_id\r\n\"a, b\",7\r\n")
  }

  @Test(arguments: [
    (
      "n.csv", "_id,label\n1,a\nx,b\n",
      "line 3: The content is no object of the class.\n  /_id: A value of type int is expected, not string: "
        + "a whole number without point, exponent and quotes, such as 5."
    ),
    (
      "n.csv", "_id,label\n1,\"a\n",
      "line 2: A quote begins here that does not end.\n  That is at byte 2, from 0."
    ),
    (
      "n.csv", "_id,label,next\n1,a,\n2,b,9\n",
      "line 3: /next: A link leads to an object of class “Node” that does not exist."
    ),
    (
      "n.json", "[{\"_id\":1,\"label\":\"a\"}\n{}]", "line 2: Here a comma or a closing bracket should stand."
    ),
    (
      "n.json", "[{\"_id\":1,\"label\":\"a\"},\n\n{\"_id\":2}]",
      "line 3: The content is no object of the class.\n  /label: The property is required."
    ),
    (
      "n.txt", "[{\"_id\":1,\"label\":\"a\"}]",
      "line 1: This begins as a JSON array, not as an object a line; --format json reads it."
    ),
    (
      "n.txt", "_id,label\n1,a\n",
      "line 1: This looks like CSV, not like an object a line; --format csv reads it."
    ),
    ("n.bson", "\u{05}\0\0", "document 1: The document ends too early.\n  That is at byte 3, from 0."),
  ])
  func `a mistake is told with its place, and nothing is written`(name: String, text: String, error: String)
    throws
  {
    let folder = try Sample.nodeStore()
    let file = try folder.write(text, to: name)
    let imported = try run(["import", "Node", file], in: folder)
    #expect(imported.status == 1)
    #expect(imported.error == "gatehouse: \(file), \(error)\n")
    #expect(try Sample.nodeKeys(folder).isEmpty)
  }

  @Test func `refused objects are left out, and written with their reasons`() throws {
    let folder = try Sample.nodeStore()
    // Nodes 4 and 5 link to one that is refused, 6 to one further down.
    let file = try folder.write(
      "_id,label,next\n1,a,2\n2,b,\nx,c,\n3,\"d\"d,\n4,e,9\n1,again,\n5,f\n5,f,4\n6,g,7\n7,h,1\n", to: "n.csv"
    )
    let rejects = folder.file("rejects.csv")
    let command = ["import", "Node", file, "--on-error", "skip", "--batch", "3", "--rejects", rejects]
    let imported = try run(command, in: folder)
    #expect(imported.status == 0)
    #expect(imported.error.contains("Node: 4 objects imported in "))
    #expect(imported.error.hasSuffix("\n6 objects were rejected: \(rejects)\n"))
    #expect(try Sample.nodeKeys(folder) == [1, 2, 6, 7])
    let link = "/next: A link leads to an object of class “Node” that does not exist."
    #expect(
      try folder.contents(rejects) == """
        _id,label,next,_error\r
        x,c,,"The content is no object of the class. /_id: A value of type int is expected, not string: a whole number \
        without point, exponent and quotes, such as 5."\r
        3,"d"d,,"Behind the quote that ends a field a comma or the end of the line should stand. That is at byte 5, from 0."\r
        1,again,,Class “Node” has an object with that primary key already.\r
        5,f,"There are 2 fields, where the header has 3. That is at byte 3, from 0."\r
        4,e,9,\(link)\r
        5,f,4,\(link)\r

        """)
    // The file is somebody's now.
    let again = try run(command, in: folder)
    #expect(again.error == "gatehouse: cannot write \(rejects): File exists\n")
  }

  @Test(arguments: [
    ("json", #"[{"_id":1,"label":5},{"_id":2,"label":"b"}]"#, "[\n{\"_id\":1,\"label\":5,\"_error\":"),
    (
      "ndjson", "{\"_id\":1,\"label\":5}\n{\"_id\":2,\"label\":\"b\"}\n", "{\"_id\":1,\"label\":5,\"_error\":"
    ),
    ("ndjson", "{broken\n{\"_id\":2,\"label\":\"b\"}\n", "{\"_record\":\"{broken\",\"_error\":"),
  ])
  func `rejected objects are in the format that they came in, and can be mended`(
    format: String, text: String, beginning: String
  ) throws {
    let folder = try Sample.nodeStore()
    let rejects = folder.file("rejects.\(format)")
    let imported = try run(
      ["import", "Node", "-", "--format", format, "--on-error", "skip", "--rejects", rejects], text,
      in: folder)
    #expect(imported.status == 0)
    #expect(try Sample.nodeKeys(folder) == [2])
    let written = try folder.contents(rejects)
    #expect(written.hasPrefix(beginning))
    guard written.contains("\"label\":5") else { return }
    let mended = try folder.write(
      written.replacing("\"label\":5", with: "\"label\":\"a\""), to: "mended.\(format)")
    #expect(try run(["import", "Node", mended], in: folder).status == 0)
    #expect(try Sample.nodeKeys(folder) == [1, 2])
  }

  @Test func `an object whose values another one has is left out`() throws {
    let folder = try Folder()
    let schema = try folder.write(
      #"[{"name":"P","primaryKey":"_id","properties":{"_id":"int","mail":{"type":"string","unique":true}}}]"#,
      to: "schema.json")
    #expect(try run(["schema", "apply", schema], in: folder).status == 0)
    let imported = try run(
      ["import", "P", "-", "--format", "csv", "--on-error", "skip"], "_id,mail\n1,a\n2,a\n3,b\n", in: folder)
    #expect(imported.status == 0, "\(imported.error)")
    #expect(
      imported.error.hasPrefix(
        "gatehouse: standard input, line 3: Another object of class “P” has the same “mail”."))
    #expect(try run(["export", "P", "--format", "csv"], in: folder).output == "_id,mail\r\n1,a\r\n3,b\r\n")
  }

  @Test func `nothing is rejected where nothing is refused`() throws {
    let folder = try Sample.nodeStore()
    let rejects = folder.file("rejects.ndjson")
    let backwards = Sample.nodes(0..<2500).split(separator: "\n").reversed().joined(separator: "\n")
    let imported = try run(
      ["import", "Node", "-", "--on-error", "skip", "--rejects", rejects], backwards, in: folder)
    #expect(imported.status == 0)
    #expect(try Sample.nodeKeys(folder) == Array(0..<2500))
    #expect(throws: (any Error).self) { try folder.contents(rejects) }
  }

  @Test(arguments: [
    (["--format", "xml"], "--format must be csv, json, ndjson or bson, not 'xml'"),
    (["--map", "a"], "--map must be HEADER=PROPERTY,…, not 'a'"),
    (["--on-error", "no"], "--on-error must be stop or skip, not 'no'"),
    (["--rejects", "f"], "--rejects must be given with --on-error skip, not 'f'"),
  ])
  func `an option that means nothing is refused`(words: [String], text: String) throws {
    let folder = try Sample.nodeStore()
    let outcome = try run(["import", "Node", "-"] + words, in: folder)
    #expect(outcome.status == 2)
    #expect(outcome.error == "gatehouse: \(text)\n")
  }
}
