import GatehouseModel
import GatehouseQuery
import Testing

/// Plans evaluated on four objects in memory.
@Suite struct PlanEvaluationTests {
  private static let schema = Schema([
    ObjectType(
      name: "Item",
      properties: [
        Property(name: "n", type: .one(.int, optional: true)),
        Property(name: "s", type: .one(.string, optional: true)),
        Property(name: "next", type: .one(.object("Item"), optional: true)),
      ])
  ])

  /// An object of the class.
  private struct Item: ObjectView {
    let key: ObjectKey
    let values: [Mixed]

    init(_ key: Int64, n: Int64?, s: String?, next: Int64?) {
      self.key = ObjectKey(key)
      values = [
        n.map { .int($0) } ?? .null, s.map { .string($0) } ?? .null,
        next.map { .link(ObjectLink(objectType: "Item", key: ObjectKey($0))) } ?? .null,
      ]
    }

    static let all = [
      Item(0, n: 2, s: "a", next: 1), Item(1, n: nil, s: "b", next: nil), Item(2, n: 1, s: "a", next: 0),
      Item(3, n: 2, s: nil, next: nil),
    ]

    func value(_ property: Int) -> Mixed { values[property] }
    func elements(_ property: Int) -> [Mixed] { [] }
    func keys(_ property: Int) -> [String] { [] }
    func object(_ link: ObjectLink) -> Item? { Self.all.first { $0.key == link.key } }
    func linkingObjects(_ objectType: String, _ property: Int) -> [Item] {
      Self.all.filter { $0.values[property] == .link(ObjectLink(objectType: objectType, key: key)) }
    }
    func value(named name: String) -> Mixed? { nil }
    func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
      guard case .int(let key) = primaryKey, Self.all.contains(where: { $0.key.value == key }) else {
        return nil
      }
      return ObjectLink(objectType: objectType, key: ObjectKey(key))
    }
  }

  private func keys(_ filter: String) throws -> [Int64] {
    try Plan(request: QueryRequest(filter: filter), schema: Self.schema, objectType: "Item")
      .evaluated(on: Item.all).map(\.key.value)
  }

  @Test(
    arguments: [
      ("n == 2", [0, 3]), ("n == null", [1]), ("NOT n > 1", [1, 2]), ("n > 0 AND s == 'a'", [0, 2]),
      ("n == 1 OR s == 'b'", [1, 2]), ("_key > 1", [2, 3]), ("next.s == 'a'", [2]),
      ("next.n == null", [0, 1, 3]), ("next == obj('Item', 0)", [2]), ("next == obj('Item', 9)", []),
      ("@links.Item.next.@count == 1", [0, 1]), ("@links.@count == 0", [2, 3]),
      ("SUBQUERY(@links.Item.next, $x, $x.n == 1).@count == 1", [0]), ("n + 1 == 3", [0, 3]),
      ("s.@size == 1", [0, 1, 2]), ("FALSEPREDICATE", []), ("TRUEPREDICATE", [0, 1, 2, 3]),
    ] as [(String, [Int64])])
  func `a filter leaves the objects for which it holds`(filter: String, expected: [Int64]) throws {
    #expect(try keys(filter) == expected)
  }

  @Test(
    arguments: [
      ("SORT(n ASC)", [1, 2, 0, 3]), ("SORT(n DESC)", [0, 3, 2, 1]), ("SORT(n DESC, s ASC)", [3, 0, 2, 1]),
      ("SORT(next.n ASC)", [0, 2, 1, 3]), ("SORT(next.n DESC)", [1, 3, 2, 0]),
    ] as [(String, [Int64])])
  func `sorting is stable, null comes first and a null link on the way last`(
    clause: String, expected: [Int64]
  )
    throws
  {
    #expect(try keys("TRUEPREDICATE " + clause) == expected)
  }

  @Test(
    arguments: [
      ("SORT(n DESC) LIMIT(2)", [0, 3]), ("LIMIT(3) SORT(n ASC)", [1, 2, 0]), ("DISTINCT(s)", [0, 1, 3]),
      ("SORT(n ASC) DISTINCT(s)", [1, 2, 3]), ("DISTINCT(s) SORT(n ASC)", [1, 0, 3]),
      ("DISTINCT(next.n)", [0, 2]), ("DISTINCT(n, s)", [0, 1, 2, 3]), ("LIMIT(0)", []),
    ] as [(String, [Int64])])
  func `clauses take effect in the order in which they are written`(clauses: String, expected: [Int64]) throws
  {
    #expect(try keys("TRUEPREDICATE " + clauses) == expected)
  }
}
