import Foundation
import RealmSwift
import Testing

private let text = "值значен™👍☞⎠‱௹♣︎☐▼❒∑⨌⧭иеمرحبا"

/// The questions of Realm's tests of texts and names beyond ASCII (`UnicodeTests`, `SwiftUnicodeTests`).
struct UnicodePortTests {
  // swift-format-ignore: IdentifiersMustBeASCII
  class テスト: Object {
    @Persisted(primaryKey: true) var 柱колоéнǢкƱаم👍: String
    @Persisted(indexed: true) var 数: Int
    @Persisted var リンク: テスト?
    @Persisted var 列: List<String>
    @Persisted var 表: Map<String, Int>
    @Persisted(originProperty: "リンク") var 元: LinkingObjects<テスト>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Mapped: Object {
    @Persisted var name: String

    override class func propertiesMapping() -> [String: String] { ["name": "имя 👍"] }
    override class func _realmObjectName() -> String? { "Объект🚀" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "テスト \(UUID().uuidString)",
        objectTypes: [StringObject.self, テスト.self, Mapped.self]))
  }

  @Test func `texts beyond ASCII are stored and found`() throws {
    let realm = try Self.open()
    try realm.write { realm.create(StringObject.self, value: [text]) }
    let all = realm.objects(StringObject.self)
    #expect(all.count == 1 && all.first?.stringCol == text)
    let found = all.filter("stringCol == %@", text)
    #expect(found.first == all.first)
    #expect(all.filter("stringCol CONTAINS '👍☞'").count == 1)
    #expect(all.filter("stringCol BEGINSWITH '值знач' AND stringCol ENDSWITH 'مرحبا'").count == 1)
    #expect(all.filter("stringCol LIKE '值*👍*'").count == 1)
    #expect(all.where { $0.stringCol == text }.count == 1)
    #expect(all.where { $0.stringCol.contains("👎") }.count == 0)
  }

  @Test func `properties and classes have names beyond ASCII`() throws {
    let realm = try Self.open()
    let first = テスト()
    first.柱колоéнǢкƱаم👍 = text
    first.数 = 2
    first.列.append("要素")
    first.表["ключ"] = 7
    try realm.write {
      realm.add(first)
      realm.create(
        テスト.self, value: ["柱колоéнǢкƱаم👍": "a", "数": 1, "リンク": first] as [String: Any])
    }
    let all = realm.objects(テスト.self)
    #expect(all.count == 2 && realm.schema["テスト"]?["数"]?.isIndexed == true)
    #expect(all.filter("柱колоéнǢкƱаم👍 == %@", text).first == first)
    #expect(all.filter("%K == %@", "柱колоéнǢкƱаم👍", text).first == first)
    #expect(all.where { $0.柱колоéнǢкƱаم👍 == text }.first == first)
    #expect(all.filter("数 > 1 OR リンク.数 == 9").count == 1)
    #expect(all.filter("リンク.柱колоéнǢкƱаم👍 == %@", text).count == 1)
    #expect(all.filter("ANY 列 == '要素'").count == 1 && all.filter("表['ключ'] == 7").count == 1)
    #expect(all.filter("元.@count == 1").first == first)
    #expect(all.sorted(byKeyPath: "数").map(\.数) == [1, 2])
    // Links to nothing come first where the order descends (C:sort_descriptor.cpp).
    #expect(all.sorted(byKeyPath: "リンク.数", ascending: false).map(\.数) == [2, 1])
    #expect(all.sorted(by: \.数, ascending: false).map(\.数) == [2, 1])
    #expect(all.distinct(by: ["数"]).count == 2 && all.sum(ofProperty: "数") as Int == 3)
    #expect(realm.object(ofType: テスト.self, forPrimaryKey: text)?.表["ключ"] == 7)
    #expect(first["数"] as? Int == 2 && first.元.count == 1)
    #expect(first.value(forKeyPath: "リンク.数") == nil)
    try realm.write { first.setValue(5, forKey: "数") }
    #expect(realm.dynamicObjects("テスト").filter("数 == 5").count == 1)
    #expect(first.description.contains("\t数 = 5;\n"))
  }

  @Test func `classes and properties are mapped to names beyond ASCII`() throws {
    let realm = try Self.open()
    try realm.write { realm.create(Mapped.self, value: ["name": text]) }
    #expect(realm.schema["Объект🚀"]?["name"]?.columnName == "имя 👍")
    #expect(realm.objects(Mapped.self).filter("name == %@", text).count == 1)
    #expect(realm.dynamicObjects("Объект🚀").first?["name"] as? String == text)
  }

  @Test func `observers name properties beyond ASCII`() throws {
    let realm = try Self.open()
    let object = テスト(value: ["x", 1] as [Any])
    try realm.write { realm.add(object) }
    let told = Lines()
    let queue = DispatchQueue(label: "観察")
    let token = object.observe(keyPaths: ["数"], on: queue) { (change: ObjectChange<テスト>) in
      if case .change(_, let changes) = change { told.add(changes.map(\.name).joined()) }
    }
    try realm.write { object.数 = 3 }
    #expect(told.next() == "数")
    token.invalidate()
  }

  @Test func `a Realm is in a directory whose name is beyond ASCII`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("レルム👍-\(UUID().uuidString)")
    let configuration = Realm.Configuration(fileURL: url, objectTypes: [StringObject.self])
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(StringObject.self, value: [text]) }
    }()
    #expect(Realm.fileExists(for: configuration))
    #expect(try Realm(configuration: configuration).objects(StringObject.self).first?.stringCol == text)
    #expect(try Realm.deleteFiles(for: configuration))
  }
}
