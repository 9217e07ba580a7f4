import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// `schema.json` of the data directory, when the server starts.
@Suite struct SchemaFileTests {
  private static let classes =
    #"[{"name": "A", "primaryKey": "i", "properties": {"i": "int", "t": "string?"}}]"#

  @Test(arguments: [
    (SchemaApplication.off, classes, ["B"]),
    (.plan, classes, ["B"]),
    (.additive, classes, ["A", "B"]),
    (.additive, "[]", ["B"]),
  ])
  func `what loses nothing is applied where that is asked for`(
    application: SchemaApplication, content: String, classes: [String]
  ) async throws {
    try await with { store, folder in
      #expect(Machine.run("printf '%s' '\(content)' > '\(folder)/schema.json'").status == 0)
      try await SchemaFile(folder, application, for: store).use()
      #expect(store.schema.objectTypes.map(\.name).sorted() == classes)
      // The next start finds nothing to do.
      let version = store.version
      try await SchemaFile(folder, application, for: store).use()
      #expect(store.version == version)
    }
  }

  @Test func `what would lose something is refused, and nothing of it done`() async throws {
    try await with { store, folder in
      let content =
        #"[{"name": "B", "primaryKey": "i", "properties": {"i": "int", "n": "int"}}, \#(Self.classes.dropFirst())"#
      #expect(Machine.run("printf '%s' '\(content)' > '\(folder)/schema.json'").status == 0)
      await #expect(throws: StorageError.self) { try await SchemaFile(folder, .additive, for: store).use() }
      #expect(store.schema.objectTypes.map(\.name) == ["B"])
    }
  }

  @Test func `a file that changes while the server runs is applied, or told`() async throws {
    try await with { store, folder in
      let told = Warnings()
      let file = SchemaFile(folder, .additive, for: store) { told.append($0) }
      let before = file.stamp
      #expect(Machine.run("printf '%s' '\(Self.classes)' > '\(folder)/schema.json'").status == 0)
      #expect(file.stamp != before)
      await file.reload()
      #expect(store.schema.objectTypes.map(\.name).sorted() == ["A", "B"])
      #expect(told.texts.count == 1)
      for content in ["[", #"[{"name": "B", "primaryKey": "i", "properties": {"i": "int", "n": "int"}}]"#] {
        #expect(Machine.run("printf '%s' '\(content)' > '\(folder)/schema.json'").status == 0)
        await file.reload()
        #expect(told.texts.last?.hasSuffix("(the old schema stays)\n") == true)
        #expect(store.schema.objectTypes.map(\.name).sorted() == ["A", "B"])
      }
    }
  }

  @Test func `without the file nothing happens`() async throws {
    try await with { store, folder in
      try await SchemaFile(folder, .additive, for: store).use()
      #expect(store.version == 1)
    }
  }

  /// A store with a class `B`.
  private func with(_ body: (Store, String) async throws -> Void) async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    let store = try Store(directory: folder)
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let notation = #"[{"name": "B", "primaryKey": "i", "properties": {"i": "int", "n": "string?"}}]"#
    _ = try await store.apply(try Schema(notation: try Value(json: notation)), destructive: false)
    try await body(store, folder)
    await store.close()
  }
}
