import Foundation
import RealmSwift
import Synchronization
import Testing

/// Realms in directories: copies, seeds, compaction, read-only ones.
struct FileTests {
  private static func path() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  }

  private static func configuration(_ path: URL = path()) -> Realm.Configuration {
    Realm.Configuration(fileURL: path, objectTypes: Realms.types)
  }

  private static func make(_ configuration: Realm.Configuration, _ names: String...) throws {
    let realm = try Realm(configuration: configuration)
    try realm.write { for name in names { realm.create(Dog.self, value: ["name": name]) } }
  }

  private static func names(_ configuration: Realm.Configuration) throws -> [String] {
    try Realm(configuration: configuration).objects(Dog.self).sorted(byKeyPath: "name").map(\.name)
  }

  @Test func `a copy has what was committed, and is no copy over another Realm`() throws {
    let (source, copy) = (Self.configuration(), Self.configuration())
    let realm = try Realm(configuration: source)
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    try realm.writeCopy(toFile: try #require(copy.fileURL))
    try realm.write { realm.create(Dog.self, value: ["name": "Max"]) }
    #expect(try Self.names(copy) == ["Rex"])
    let error = #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: copy) }
    #expect(error?.code == .fileExists)
  }

  @Test func `a new Realm begins as a copy of its seed, an old one does not`() throws {
    let seed = Self.configuration()
    try Self.make(seed, "Rex", "Max")
    var configuration = Self.configuration()
    configuration.seedFilePath = seed.fileURL
    #expect(try Self.names(configuration) == ["Max", "Rex"])
    try Self.make(configuration, "Ben")
    try Self.make(seed, "Tim")
    #expect(try Self.names(configuration) == ["Ben", "Max", "Rex"])
  }

  @Test func `a Realm says its size when it is opened, and is compacted`() throws {
    var configuration = Self.configuration()
    try Self.make(configuration, "Rex")
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Everything.self, value: ["data": Data(count: 2 << 20)]) }
      try realm.write { realm.delete(realm.objects(Everything.self)) }
    }()
    let sizes = Sizes()
    configuration.shouldCompactOnLaunch = { total, used in
      sizes.all.withLock { $0.append((total, used)) }
      return true
    }
    #expect(try Self.names(configuration) == ["Rex"])
    #expect(try Self.names(configuration) == ["Rex"])
    let all = sizes.all.withLock { $0 }
    try #require(all.count == 2)
    #expect(all[0].total >= all[0].used && all[0].used > 0)
    #expect(all[1].total <= all[0].total)
  }

  private final class Sizes: Sendable {
    let all = Mutex<[(total: Int, used: Int)]>([])
  }

  @Test func `a Realm that is read only is there, and is only read`() throws {
    var configuration = Self.configuration()
    configuration.readOnly = true
    let missing = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(missing?.code == .fileNotFound)
    configuration.readOnly = false
    try Self.make(configuration, "Rex")
    configuration.readOnly = true
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(Dog.self).map(\.name) == ["Rex"])
    configuration.readOnly = false
    #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
  }

  @Test func `a Realm whose classes have changed is made anew where that is wanted`() throws {
    class Small: Object {
      @Persisted var name: String

      override class func _realmObjectName() -> String? { "Changing" }
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Large: Object {
      @Persisted var name: String
      @Persisted var size: Int

      override class func _realmObjectName() -> String? { "Changing" }
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    var configuration = Realm.Configuration(fileURL: Self.path(), objectTypes: [Small.self])
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Small.self, value: ["name": "a"]) }
    }()
    configuration.objectTypes = [Large.self]
    #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    configuration.deleteRealmIfMigrationNeeded = true
    #expect(try Realm(configuration: configuration).isEmpty)
  }

  @Test func `the version of the classes is read without opening the Realm`() throws {
    var configuration = Self.configuration()
    configuration.schemaVersion = 7
    let url = try #require(configuration.fileURL)
    #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
    try Self.make(configuration)
    #expect(try schemaVersionAtURL(url) == 7)
  }

  @Test func `a Realm that is let go of in a transaction takes it back`() throws {
    let configuration = Self.configuration()
    try {
      let realm = try Realm(configuration: configuration)
      realm.beginWrite()
      realm.create(Dog.self, value: ["name": "Rex"])
    }()
    #expect(try Self.names(configuration) == [])
  }

  @Test func `a Realm is opened again as soon as it was closed`() throws {
    let configuration = Self.configuration()
    for number in 0..<20 { try Self.make(configuration, "d\(10 + number)") }
    #expect(try Self.names(configuration).count == 20)
  }
}
