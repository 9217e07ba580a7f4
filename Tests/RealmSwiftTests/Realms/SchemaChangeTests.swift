import Foundation
import GatehouseModel
import GatehouseStorage
import RealmSwift
import Testing

/// Realms whose store gets another schema while they are open: what was asked for before means the same afterwards.
struct SchemaChangeTests {
  private class Ship: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var size: Int
    @Persisted var port: Port?
    @Persisted var loads: List<Int>
    @Persisted var crew: List<Ship>
    @Persisted var extra: AnyRealmValue
    @Persisted var marks: Map<String, Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private class Port: Object {
    @Persisted var name: String
    @Persisted(originProperty: "port") var ships: LinkingObjects<Ship>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private struct World {
    let store: Store
    let realm: Realm

    init() throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
      store = try Store(directory: path)
      realm = try Realm(
        store: store, configuration: Realm.Configuration(objectTypes: [Ship.self, Port.self]))
      try realm.write {
        let rome = realm.create(Port.self, value: ["Rome"])
        realm.create(
          Ship.self,
          value: [
            "id": 1, "name": "b", "size": 3, "port": rome, "loads": [1, 2], "extra": ["k": [1]],
            "marks": ["m": 4],
          ] as [String: Any])
        let oslo = realm.create(Port.self, value: ["Oslo"])
        realm.create(Ship.self, value: ["id": 2, "name": "a", "size": 9, "port": oslo] as [String: Any])
        realm.create(Ship.self, value: ["id": 3, "name": "a", "size": 1] as [String: Any])
      }
    }

    /// Has the store have the properties and the classes in another order, with new ones before them.
    func reorder(without dropped: Set<String> = []) throws {
      let types = store.schema.objectTypes.reversed().map { type in
        let added = GatehouseModel.Property(name: "added", type: .one(.int, optional: true))
        let kept = type.properties.filter { !dropped.contains($0.name) }
        return ObjectType(
          name: type.name, kind: type.kind, properties: [added] + kept.reversed(),
          primaryKey: type.primaryKey?.name)
      }
      let first = ObjectType(
        name: "Added", properties: [GatehouseModel.Property(name: "a", type: .one(.int, optional: false))])
      _ = try store.applyAndWait(GatehouseModel.Schema([first] + types), destructive: true)
    }
  }

  @Test func `queries, orders and collections mean the same after properties and classes have moved`() throws
  {
    let world = try World()
    let realm = world.realm
    let ships = realm.objects(Ship.self)
    let large = ships.filter("size > 2")
    let linked = ships.where { $0.port.name == "Rome" }
    let sorted = ships.sorted(byKeyPath: "size", ascending: false)
    let byPort = ships.filter("port != nil").sorted(byKeyPath: "port.name")
    let distinct = ships.sorted(byKeyPath: "id").distinct(by: ["name"])
    let one = try #require(ships.filter("id == 1").first)
    let (loads, marks, extra) = (one.loads, one.marks, try #require(one.extra.dictionaryValue))
    let list = try #require(extra["k"]?.listValue)
    let port = try #require(one.port)
    let (linking, heavy) = (port.ships, one.loads.sorted(ascending: false))
    let reference = ThreadSafeReference(to: large)
    let frozen = one.freeze()
    #expect(large.count == 2 && sorted.map(\.id) == [2, 1, 3])
    try world.reorder()
    realm.refresh()
    func check() throws {
      #expect(large.map(\.id).sorted() == [1, 2])
      #expect(linked.map(\.id) == [1])
      #expect(sorted.map(\.id) == [2, 1, 3])
      #expect(byPort.map(\.id) == [2, 1])
      #expect(distinct.map(\.id) == [1, 2])
      #expect(large.sorted(byKeyPath: "name").filter("size < 5").map(\.id) == [1])
      #expect(one.name == "b" && one.size == 3 && one.port?.name == "Rome")
      #expect(Array(loads) == [1, 2] && marks["m"] == 4 && Array(heavy) == [2, 1])
      #expect(Array(list) == [.int(1)] && extra["k"]?.listValue?.count == 1)
      #expect(linking.map(\.id) == [1] && port.name == "Rome")
      #expect(large == ships.filter("size > 2"))
      #expect(ships.index(of: one) != nil && one.isSameObject(as: frozen))
    }
    try check()
    #expect(frozen.name == "b" && Array(frozen.loads) == [1, 2] && frozen.thaw()?.size == 3)
    #expect(realm.resolve(reference)?.count == 2)
    try realm.write {
      one.loads.append(3)
      one.loads.removeLast()
      extra["k"]?.listValue?.append(.int(2))
      list.remove(at: 1)
      marks["m"] = 4
      one.size = 3
      one.crew.append(one)
    }
    try check()
    #expect(large.freeze().map(\.id).sorted() == [1, 2])
  }

  @Test func `observers are told the same after properties and classes have moved`() throws {
    let world = try World()
    let realm = world.realm
    let queue = DispatchQueue(label: "moved")
    let (results, object, map, names) = (Lines(), Lines(), Lines(), Lines())
    let one = try #require(realm.objects(Ship.self).filter("id == 1").first)
    func line(_ change: RealmCollectionChange<Results<Ship>>) -> String {
      guard case .update(_, let deletions, let insertions, let modifications) = change else {
        return "initial"
      }
      return "-\(deletions) +\(insertions) ~\(modifications)"
    }
    let large = realm.objects(Ship.self).filter("size > 2").sorted(byKeyPath: "id")
    let tokens = [
      large.observe(on: queue) { results.add(line($0)) },
      large.observe(keyPaths: ["port.name"], on: queue) { names.add(line($0)) },
      one.observe(on: queue) { (change: RealmSwift.ObjectChange<Ship>) in
        guard case .change(_, let changes) = change else { return object.add("deleted") }
        object.add(changes.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }.joined())
      },
      one.marks.observe(on: queue) { change in
        guard case .update(_, _, let insertions, let modifications) = change else {
          return map.add("initial")
        }
        map.add("+\(insertions) ~\(modifications)")
      },
    ]
    #expect([results.next(), names.next(), map.next()] == ["initial", "initial", "initial"])
    try world.reorder()
    realm.refresh()
    try realm.write { one.size = 8 }
    #expect(results.next() == "-[] +[] ~[0]" && object.next() == "size 3 8")
    try realm.write { one.marks["n"] = 1 }
    #expect(map.next() == #"+["n"] ~[]"# && results.next() == "-[] +[] ~[0]")
    #expect(object.next() == "marks nil nil")
    try realm.write { one.port?.name = "Roma" }
    #expect(names.next() == "-[] +[] ~[0]" && results.next() == "-[] +[] ~[0]")
    try realm.write { one.size = 1 }
    #expect(results.next() == "-[0] +[] ~[]" && object.next() == "size 8 1")
    try realm.write { realm.delete(one) }
    #expect(object.next() == "deleted")
    for token in tokens { token.invalidate() }
  }

  @Test func `results whose condition names a property that is gone are empty and invalid, others stay`()
    throws
  {
    let world = try World()
    let realm = world.realm
    let (all, large) = (realm.objects(Ship.self), realm.objects(Ship.self).filter("size > 2"))
    let sorted = all.sorted(byKeyPath: "size")
    let one = try #require(all.filter("id == 1").first)
    let loads = one.loads
    #expect(large.count == 2)
    try world.reorder(without: ["size", "loads"])
    realm.refresh()
    #expect(large.isEmpty && large.isInvalidated && large.first == nil)
    #expect(sorted.isEmpty && sorted.isInvalidated)
    #expect(all.count == 3 && !all.isInvalidated)
    #expect(loads.isInvalidated && one.name == "b" && !one.isInvalidated)
  }
}
