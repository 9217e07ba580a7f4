import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

@Suite struct SchemaDifferenceTests {
  private func schema(_ properties: [Property], primaryKey: String? = nil, isEmbedded: Bool = false) -> Schema
  {
    Schema([
      ObjectType(
        name: "C", kind: isEmbedded ? .embedded : .topLevel, properties: properties, primaryKey: primaryKey)
    ])
  }

  private static let a = Property(name: "a", type: .one(.int, optional: false))
  private static let b = Property(name: "b", type: .one(.string, optional: true))

  @Test(
    arguments: [
      ([a, b], [a, b], []),
      ([a], [a, b], ["C.b: string? added"]),
      ([b], [a, b], ["C.a: int added, required, without default (destructive)"]),
      ([b], [Property(name: "a", type: a.type, defaultValue: .int64(0)), b], ["C.a: int added"]),
      ([], [Property(name: "l", type: .list(.int, optional: false))], ["C.l: int[] added"]),
      ([a, b], [a], ["C.b: string? removed (destructive)"]),
      ([a, b], [b, a], ["C: properties in another order"]),
      (
        [a], [Property(name: "a", type: .one(.string, optional: false))],
        ["C.a: int becomes string (destructive)"]
      ),
      (
        [a], [Property(name: "a", type: .list(.int, optional: false))],
        ["C.a: int becomes int[] (destructive)"]
      ),
      (
        [a], [Property(name: "a", type: .one(.double, optional: true))],
        ["C.a: int becomes double? (destructive)"]
      ),
      ([a], [Property(name: "a", type: .one(.int, optional: true))], ["C.a: may be null"]),
      (
        [b], [Property(name: "b", type: .one(.string, optional: false))],
        ["C.b: may no longer be null (destructive)"]
      ),
      (
        [a], [Property(name: "number", storedName: "a", type: a.type)], ["C.a: is called number"]
      ),
      ([a], [Property(name: "a", storedName: "x", type: a.type)], ["C.a: stored as x, was a"]),
      (
        [a, b],
        [
          Property(name: "a", storedName: "b", type: b.type),
          Property(name: "b", storedName: "a", type: a.type),
        ],
        ["C.b: is called a", "C.a: is called b", "C: properties in another order"]
      ),
      ([a], [Property(name: "a", type: a.type, index: .general)], ["C.a: index none becomes general"]),
      (
        [Property(name: "b", type: b.type, index: .fullText)], [b], ["C.b: index full-text becomes none"]
      ),
      ([a], [Property(name: "a", type: a.type, defaultValue: .int64(1))], ["C.a: default changed"]),
      (
        [Property(name: "a", type: a.type, defaultValue: .int32(1))],
        [Property(name: "a", type: a.type, defaultValue: .int64(1))], []
      ),
      (
        [a, Property(name: "l", type: .linkingObjects(objectType: "C", property: "x"))], [a],
        ["C.l: linkingObjects of C.x removed"]
      ),
      (
        [Property(name: "l", type: .linkingObjects(objectType: "C", property: "x"))],
        [Property(name: "l", type: .linkingObjects(objectType: "C", property: "y"))],
        ["C.l: linkingObjects of C.x becomes linkingObjects of C.y"]
      ),
      (
        [Property(name: "a", type: .linkingObjects(objectType: "C", property: "x"))], [a],
        ["C.a: linkingObjects of C.x becomes int (destructive)"]
      ),
      (
        [a], [Property(name: "a", type: .linkingObjects(objectType: "C", property: "x"))],
        ["C.a: int becomes linkingObjects of C.x (destructive)"]
      ),
    ] as [([Property], [Property], [String])])
  func `what happens to properties is named`(old: [Property], new: [Property], lines: [String]) {
    let difference = schema(old).difference(to: schema(new))
    #expect(difference.changes.map(\.description) == lines)
    #expect(difference.destructive.isEmpty == !lines.contains { $0.hasSuffix("(destructive)") })
    #expect(difference.destructive == difference.changes.filter(\.isDestructive))
    #expect(difference.isEmpty == lines.isEmpty)
  }

  @Test(
    arguments: [
      (nil, "a", "C: primary key _key becomes a (destructive)"),
      ("a", nil, "C: primary key a becomes _key (destructive)"),
      ("a", "b", "C: primary key a becomes b (destructive)"),
      ("a", "a", nil), (nil, nil, nil),
    ] as [(String?, String?, String?)])
  func `another primary key is destructive`(old: String?, new: String?, line: String?) {
    let properties = [Self.a, Self.b]
    let difference = schema(properties, primaryKey: old).difference(to: schema(properties, primaryKey: new))
    #expect(difference.changes.map(\.description) == (line.map { [$0] } ?? []))
  }

  @Test func `a primary key may be renamed`() {
    let renamed = Property(name: "number", storedName: "a", type: Self.a.type)
    let difference = schema([Self.a], primaryKey: "a").difference(to: schema([renamed], primaryKey: "number"))
    #expect(
      difference.changes
        == [.propertyRenamed(objectType: "C", from: "a", to: "number", storedName: "a")])
  }

  @Test func `a class becomes asymmetric, and ceases to be`() {
    let plain = Schema([ObjectType(name: "C", properties: [Self.a])])
    let asymmetric = Schema([ObjectType(name: "C", kind: .asymmetric, properties: [Self.a])])
    #expect(
      plain.difference(to: asymmetric).changes == [.asymmetricChanged(objectType: "C", isAsymmetric: true)])
    #expect(plain.difference(to: asymmetric).changes.map(\.description) == ["C: becomes asymmetric"])
    #expect(
      asymmetric.difference(to: plain).changes.map(\.description) == ["C: is no longer asymmetric"])
  }

  @Test func `what happens to classes is named`() {
    let old = Schema(["A", "B", "C", "D"].map { ObjectType(name: $0, properties: [Self.a]) })
    let new = Schema([
      ObjectType(name: "C", properties: [Self.a]), ObjectType(name: "N", properties: []),
      ObjectType(name: "B", properties: [Self.a]),
      ObjectType(name: "D", kind: .embedded, properties: [Self.a]),
    ])
    let difference = old.difference(to: new)
    #expect(
      difference.changes == [
        .classAdded(ObjectType(name: "N", properties: [])),
        .embeddedChanged(objectType: "D", isEmbedded: true),
        .classRemoved(ObjectType(name: "A", properties: [Self.a])), .classesReordered,
      ])
    #expect(
      difference.changes.map(\.description) == [
        "N: class added", "D: becomes embedded (destructive)", "A: class removed (destructive)",
        "schema: classes in another order",
      ])
    #expect(old.difference(to: old).isEmpty)
  }

  @Test func `there is no difference exactly when schemas are equal`() {
    var generator = SeededGenerator(seed: 11)
    var equal = 0
    for _ in 0..<3000 {
      let (old, new) = (randomSchema(&generator), randomSchema(&generator))
      #expect(old.difference(to: new).isEmpty == (old == new))
      if old == new { equal += 1 }
    }
    #expect(equal > 20)
  }

  /// Few choices, so that equal ones come up.
  private func randomSchema(_ generator: inout SeededGenerator) -> Schema {
    let names = ["a", "b"].shuffled(using: &generator).prefix(Int.random(in: 0...2, using: &generator))
    let properties = names.map { name in
      Property(
        name: name, storedName: Bool.random(using: &generator) ? name : name + "_",
        type: .one(.int, optional: Bool.random(using: &generator)))
    }
    let primaryKey = Bool.random(using: &generator) ? names.first : nil
    let classes = [
      ObjectType(name: "C", properties: properties, primaryKey: primaryKey),
      ObjectType(name: "D", properties: []),
    ].shuffled(using: &generator)
    return Schema(Array(classes.prefix(Int.random(in: 1...2, using: &generator))))
  }
}
