import GatehouseModel
import Testing

@testable import GatehouseQuery

@Suite struct TypeSetTests {
  @Test(
    arguments: [
      ("int", [.int]), ("Int64", [.int]), ("byte[]", [.data]), ("OBJECTID", [.objectID]), ("null", [.null]),
      ("object", [.dictionary]), ("link", [.link]), ("array", [.list]),
      ("numeric", [.int, .float, .double, .decimal128]), ("collection", [.list, .dictionary]),
    ] as [(String, [ValueType])])
  func `a name stands for types, in any case`(name: String, types: [ValueType]) {
    #expect(TypeSet(named: name) == types.reduce(into: []) { $0.insert(TypeSet($1)) })
  }

  @Test func `what names no type is refused`() {
    #expect(TypeSet(named: "strings") == nil)
    #expect(TypeSet(named: "") == nil)
  }

  @Test func `each type is its own, and has a name that reads back`() {
    let sets = ValueType.allCases.map { TypeSet($0) }
    #expect(Set(sets).count == ValueType.allCases.count)
    for set in sets { #expect(TypeSet(named: set.name) == set) }
  }
}
