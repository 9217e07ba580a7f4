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
    try await with { store, file, folder in
      #expect(Machine.run("printf '%s' '\(content)' > '\(folder)/schema.json'").status == 0)
      try await file.use(application, for: store)
      #expect(store.schema.objectTypes.map(\.name).sorted() == classes)
      // The next start finds nothing to do.
      let version = store.version
      try await file.use(application, for: store)
      #expect(store.version == version)
    }
  }

  @Test func `what would lose something is refused, and nothing of it done`() async throws {
    try await with { store, file, folder in
      let content =
        #"[{"name": "B", "primaryKey": "i", "properties": {"i": "int", "n": "int"}}, \#(Self.classes.dropFirst())"#
      #expect(Machine.run("printf '%s' '\(content)' > '\(folder)/schema.json'").status == 0)
      await #expect(throws: StorageError.self) { try await file.use(.additive, for: store) }
      #expect(store.schema.objectTypes.map(\.name) == ["B"])
    }
  }

  @Test func `without the file nothing happens`() async throws {
    try await with { store, file, _ in
      try await file.use(.additive, for: store)
      #expect(store.version == 1)
    }
  }

  /// A store with a class `B`.
  private func with(_ body: (Store, SchemaFile, String) async throws -> Void) async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    let store = try Store(directory: folder)
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let notation = #"[{"name": "B", "primaryKey": "i", "properties": {"i": "int", "n": "string?"}}]"#
    _ = try await store.apply(try Schema(notation: try Value(json: notation)), destructive: false)
    try await body(store, SchemaFile(folder), folder)
    await store.close()
  }
}
