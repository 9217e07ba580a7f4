import GatehouseAPI
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Glibc
import Testing

@testable import GatehouseApp

/// The groups of an app, in files.
@Suite struct GroupsDirectoryTests {
  private static let identity = "6566a0000000000000000001"
  private static let order = #"[{"name":"Order","primaryKey":"id","properties":{"id":"int"}}]"#

  private func withApp(_ body: (_ app: String, GroupsDirectory) async throws -> Void) async throws {
    let app = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(app)'") }
    try await Store.with(app) { _ in }
    try await body(app, GroupsDirectory(app))
  }

  @Test func `a file in which two groups have one class is no file of groups`() async throws {
    try await withApp { app, groups in
      let group = { (classes: String) in #"{"identity":"\#(Self.identity)","classes":\#(classes)}"# }
      let write = { (text: String) in
        #expect(Machine.run("printf '%s' '\(text)' > '\(app)/groups.json'").status == 0)
      }
      write(#"{"a":\#(group(#"["Order"]"#)),"b":\#(group(#"["Line"]"#))}"#)
      let names = try groups.groups().map(\.name.text)
      #expect(names == ["a", "b"])
      write(#"{"a":\#(group(#"["Order"]"#)),"b":\#(group(#"["Line","Order"]"#))}"#)
      #expect(throws: CommandError.self) { try groups.groups() }
    }
  }

  @Test(arguments: [nil, 2] as [Int?])
  func `a class that has been made is found in its group`(shards: Int?) async throws {
    try await withApp { _, groups in
      let name = try #require(GroupName("archive"))
      try groups.put(name, classes: ["Order"], shards: shards)
      let group = try groups.groups()[0]
      #expect(try !groups.hasClass("Order") && !groups.hasClass("City"))
      for store in group.stores {
        try await Store.with(groups.directory(of: store)) { open in
          _ = try await open.apply(Schema(notation: Value(json: Self.order)), destructive: false)
        }
      }
      #expect(try groups.hasClass("Order") && !groups.hasClass("City"))
      // Shards have folders of their own, in one in which there is no store.
      let file = "\(groups.directory(of: name))/gatehouse.db"
      #expect((access(file, F_OK) == 0) == (shards == nil))
    }
  }

  @Test func `a group that another process has open is not removed, though that is confirmed`() async throws {
    try await withApp { _, groups in
      let name = try #require(GroupName("archive"))
      try groups.put(name, classes: ["Order"], shards: 2)
      let lock = open("\(groups.directory(of: name))/1/lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      #expect(throws: StorageError.self) { try groups.remove(name, isConfirmed: true) }
      #expect(try groups.groups().map(\.name) == [name] && groups.folders == [name])
      flock(lock, LOCK_UN)
      try groups.remove(name, isConfirmed: true)
      #expect(try groups.groups().isEmpty && groups.folders.isEmpty)
    }
  }
}
