import Foundation
import RealmSwift
import Testing

/// Objects that lead to others: chains and circles of them, and what is written of them where they are there already.
@MainActor struct CopyPortTests {
  private func turn() async {
    for _ in 0..<2 { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }
  }

  @Test func `a chain of links is added whatever its length`() throws {
    let realm = try PortedRealms.open()
    let first = RecursiveObject()
    var last = first
    for _ in 1..<3_000 {
      let next = RecursiveObject()
      last.objects.append(next)
      last = next
    }
    try realm.write { realm.add(first) }
    #expect(realm.objects(RecursiveObject.self).count == 3_000)
    #expect(realm.objects(RecursiveObject.self).filter("objects.@count == 1").count == 2_999)
    #expect(last.realm == realm)
  }

  @Test func `objects of another Realm that lead to each other are copied once`() throws {
    let (source, target) = (try PortedRealms.open(), try PortedRealms.open())
    let object = AllTypes(value: ["intCol": 1, "arrayInt": [4]])
    try source.write {
      source.add(object)
      object.objectCol = object
      object.arrayCol.append(objectsIn: [object, AllTypes(value: ["objectCol": object])])
      object.mapCol["a"] = object
      object.anyCol = .object(object)
    }
    let copy = try target.write { target.create(AllTypes.self, value: object) }
    #expect(copy.realm == target && copy.intCol == 1 && Array(copy.arrayInt) == [4])
    #expect(copy.objectCol == copy && copy.arrayCol[0] == copy && copy.arrayCol[1].objectCol == copy)
    #expect((copy.mapCol["a"] ?? nil) == copy && copy.anyCol.object(AllTypes.self) == copy)
    #expect(target.objects(AllTypes.self).count == 2)
  }

  @Test func `what is there already is no modification`() async throws {
    let realm = try PortedRealms.open()
    let object = AllTypes(
      value: ["stringCol": "a", "arrayInt": [1, 2], "mapInt": ["k": 1], "setInt": [7, 8], "anyCol": 5]
        as [String: Any])
    try realm.write {
      realm.add(object)
      object.objectCol = object
      object.arrayCol.append(object)
    }
    var names: [String] = []
    let token = object.observe { (change: ObjectChange<AllTypes>) in
      if case .change(_, let properties) = change { names += properties.map(\.name) }
    }
    var value =
      [
        "pk": object.pk, "stringCol": "a", "arrayInt": [1, 2], "mapInt": ["k": 1], "setInt": [8, 7],
        "anyCol": 5,
        "objectCol": object, "arrayCol": [object],
      ] as [String: Any]
    await turn()
    try realm.write { realm.create(AllTypes.self, value: value, update: .modified) }
    await turn()
    #expect(names == [])
    value["arrayInt"] = [1, 3]
    value["mapInt"] = ["k": 2]
    try realm.write { realm.create(AllTypes.self, value: value, update: .modified) }
    await turn()
    #expect(names.sorted() == ["arrayInt", "mapInt"])
    token.invalidate()
  }

  @Test func `a reference leads to what an open transaction has made, once it is committed`() async throws {
    let configuration = PortedRealms.configuration()
    let realm = try await Realm(configuration: configuration)
    let references = try realm.write {
      let object = realm.create(AllTypes.self, value: ["intCol": 3, "arrayInt": [1]])
      return (ThreadSafeReference(to: object), ThreadSafeReference(to: object.arrayInt))
    }
    let found = try await Task.detached {
      let realm = try Realm(configuration: configuration)
      return [realm.resolve(references.0)?.intCol, realm.resolve(references.1)?.count]
    }.value
    #expect(found == [3, 1] && references.0.isInvalidated)
    realm.beginWrite()
    let lost = ThreadSafeReference(to: realm.create(AllTypes.self))
    realm.cancelWrite()
    #expect(realm.resolve(lost) == nil)
  }

  @Test func `sections of an invalidated Realm are invalid, and empty`() throws {
    let realm = try PortedRealms.open()
    try realm.write { realm.create(AllTypes.self, value: ["stringCol": "a"]) }
    let sections = realm.objects(AllTypes.self).sectioned(by: \.stringCol)
    let section = sections[0]
    #expect(realm.resolve(ThreadSafeReference(to: sections))?.allKeys == ["a"])
    realm.invalidate()
    #expect(sections.isInvalidated && sections.isEmpty && section.isInvalidated)
    #expect(realm.objects(AllTypes.self).sectioned(by: \.stringCol).allKeys == ["a"])
  }
}
