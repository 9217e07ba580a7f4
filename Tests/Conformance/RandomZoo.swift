import BSON
public import Model

/// Random objects and filters over one class with a property of every type, for engines that must agree.
public struct RandomZoo {
  public static let schema = Schema([
    ObjectType(
      name: "Zoo",
      properties: scalars.map {
        Property(name: $0.name, type: .one($0.type, optional: true), index: $0.index)
      }
        + scalars.map {
          Property(
            name: $0.name + "s", type: .list($0.type, optional: true),
            index: $0.type == .string ? .general : .none)
        }
        + [
          Property(name: "set", type: .set(.int, optional: true)),
          Property(name: "mixedSet", type: .set(.mixed, optional: true)),
          Property(name: "map", type: .map(.string, optional: true)),
          Property(name: "mixedMap", type: .map(.mixed, optional: true)),
          Property(name: "link", type: .one(.object("Zoo"), optional: true)),
          Property(name: "links", type: .list(.object("Zoo"), optional: false)),
          Property(name: "linkMap", type: .map(.object("Zoo"), optional: true)),
          Property(name: "back", type: .linkingObjects(objectType: "Zoo", property: "link")),
        ])
  ])

  private static let scalars: [(name: String, type: ElementType, index: Property.Index)] = [
    ("bool", .bool, .none), ("int", .int, .general), ("float", .float, .none), ("double", .double, .none),
    ("decimal", .decimal128, .none), ("string", .string, .general), ("data", .data, .none),
    ("date", .date, .general), ("oid", .objectID, .none), ("uuid", .uuid, .none), ("mixed", .mixed, .none),
  ]

  private var generator: SplitMix
  public let objectCount: Int

  public init(seed: UInt64, objectCount: Int = 12) {
    generator = SplitMix(seed: seed)
    self.objectCount = objectCount
  }

  /// The objects of one store.
  public mutating func drafts() -> [ObjectDraft] {
    let type = Self.schema.objectTypes[0]
    return (0..<objectCount).map { key in
      let assignments = type.properties.indices.compactMap { index -> ObjectDraft.Assignment? in
        if case .linkingObjects = type.properties[index].type { return nil }
        return ObjectDraft.Assignment(property: index, value: value(of: type.properties[index].type))
      }
      return ObjectDraft(key: ObjectKey(Int64(key)), assignments: assignments)
    }
  }

  private mutating func value(of type: PropertyType) -> DraftValue {
    switch type {
    case .one(let element, _): return value(of: element, optional: true)
    case .list(let element, let optional):
      return .list(repeated { $0.value(of: element, optional: optional) })
    case .set(let element, let optional):
      return .list(repeated { $0.value(of: element, optional: optional) })
    case .map(let element, _):
      let keys = ["a", "b", "é"].filter { _ in Bool.random(using: &generator) }
      return .map(keys.map { DraftValue.Entry(key: $0, value: value(of: element, optional: true)) })
    case .linkingObjects: return .value(.null)
    }
  }

  private mutating func repeated(_ value: (inout RandomZoo) -> DraftValue) -> [DraftValue] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(&self) }
  }

  private mutating func value(of element: ElementType, optional: Bool) -> DraftValue {
    if optional, Int.random(in: 0..<5, using: &generator) == 0 { return .value(.null) }
    guard case .object(let name) = element else { return .value(mixed(element)) }
    return .link(
      objectType: name, primaryKey: .int(Int64.random(in: 0..<Int64(objectCount), using: &generator)))
  }

  /// Few values of each type, so that many are equal.
  private mutating func mixed(_ element: ElementType, depth: Int = 0) -> Mixed {
    switch element {
    case .bool: return .bool(pick([true, false]))
    case .int: return .int(pick([0, 1, 2, -3, .max, .min]))
    case .float: return .float(pick([0, 1, 0.1, -2.5, .nan, .infinity]))
    case .double: return .double(pick([0, 1, 0.1, -2.5, .nan, -.infinity]))
    case .decimal128:
      return .decimal128(Decimal128(pick(["0", "1", "0.1", "-2.5", "1E+10", "NaN"])) ?? .zero)
    case .string: return .string(pick(["", "a", "A", "ab", "Éa", "éb", "0", "1", "%"]))
    case .data: return .data(pick([[], [0x61], [0x41], [0x61, 0x62], [0xFF]]))
    case .date: return .date(pick([Date(seconds: 0), Date(seconds: -1, nanoseconds: 5), Date(seconds: 9)]))
    case .objectID: return .objectID(ObjectID(high: pick([0, 1]), low: 0))
    case .uuid: return .uuid(UUID(high: 0, low: pick([0, 1])))
    case .mixed: return anyMixed(depth)
    case .object: return .null
    }
  }

  private mutating func anyMixed(_ depth: Int) -> Mixed {
    switch Int.random(in: 0..<(depth < 2 ? 13 : 11), using: &generator) {
    case 11: return .list((0..<Int.random(in: 0...2, using: &generator)).map { _ in anyMixed(depth + 1) })
    case 12: return .dictionary([Mixed.Entry(key: "a", value: anyMixed(depth + 1))])
    case 10: return .null
    // Beside decimals a float of many digits equals what does not equal it beside doubles: no order holds.
    case 2: return .float(pick([0, 1, 0.5, -2.5, .nan, .infinity]))
    case let kind: return mixed(Self.scalars[kind].type, depth: depth)
    }
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }
}

extension RandomZoo {
  /// A filter, which may be one that is refused.
  public mutating func filter() -> String {
    let text = predicate(depth: 0)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      let direction = pick(["ASC", "DESC"])
      return "\(text) SORT(\(pick(Self.sortable)) \(direction), \(pick(Self.sortable)) ASC)"
    case 1: return "\(text) SORT(\(pick(Self.sortable)) DESC) LIMIT(\(pick([0, 1, 3, 7])))"
    case 2: return "\(text) DISTINCT(\(pick(Self.sortable)))"
    default: return text
    }
  }

  private static let sortable =
    scalars.map(\.name) + ["link.int", "link.mixed", "link.link.double", "map.a", "_key", "link.link.string"]

  private mutating func predicate(depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 3 ? 10 : 6), using: &generator) {
    case 6: "NOT (\(predicate(depth: depth + 1)))"
    case 7: "(\(predicate(depth: depth + 1)) AND \(predicate(depth: depth + 1)))"
    case 8: "(\(predicate(depth: depth + 1)) OR \(predicate(depth: depth + 1)))"
    case 9:
      "SUBQUERY(links, $x, \(predicate(depth: 3))).@count \(pick(["==", ">", "!="])) \(pick(["0", "1", "2"]))"
    default: comparison()
    }
  }

  private mutating func comparison() -> String {
    let left = operand()
    let right = Int.random(in: 0..<4, using: &generator) == 0 ? operand() : constant()
    let relation = pick([
      "==", "==", "!=", "<", "<=", ">", ">=", "IN", "CONTAINS", "LIKE", "BEGINSWITH", "ENDSWITH", "==[c]",
      "!=[c]",
      "CONTAINS[c]", "LIKE[c]", "BEGINSWITH[c]",
    ])
    let isSwapped = relation != "IN" && Int.random(in: 0..<5, using: &generator) == 0
    return isSwapped ? "\(right) \(relation) \(left)" : "\(left) \(relation) \(right)"
  }

  private mutating func operand() -> String {
    let name = pick(Self.scalars.map(\.name))
    let way = pick([
      "", "", "", "link.", "link.link.", "links.", "back.", "linkMap.", "linkMap['a'].", "links[0].",
    ])
    let quantifier = pick(["", "", "ANY ", "ALL ", "NONE "])
    switch Int.random(in: 0..<12, using: &generator) {
    case 0...4: return (way.contains("s") || way.hasPrefix("b") ? quantifier : "") + way + name
    case 5, 6: return quantifier + way + name + "s"
    case 7: return way + name + "s[\(pick(["0", "1", "LAST"]))]"
    case 8:
      return quantifier + way + pick(["set", "mixedSet", "map", "mixedMap", "map.@keys", "mixedMap[*]"])
    case 9:
      return way
        + pick(["map.a", "mixedMap.b", "mixed.a", "mixed[0]", "mixed[*]", "mixed.@keys", "mixed.@type"])
    case 10:
      return way
        + pick([
          "ints.@count", "ints.@sum", "doubles.@avg", "mixeds.@max", "string.@size", "links.@count",
          "decimals.@min",
          "strings.length", "mixed.@size", "links.@min.double", "link.@count", "@links.Zoo.links.@count",
          "links.@sum.int", "linkMap.@count", "floats.@sum",
        ])
    default:
      return pick([
        "(\(way)int + 1)", "(double * \(way)int)", "(int / 2)", "(mixed - int)", "link", "ALL links",
      ])
    }
  }

  private mutating func constant() -> String {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return pick(["{}", "{1, 2}", "{'a', null}", "ALL {0, 1}", "NONE {0.1}", "{true}", "{null}"])
    case 1: return "null"
    default:
      return pick([
        "0", "1", "2", "-3", "0.1", "1.0", "0.1f", "-2.5", "NaN", "inf", "-inf", "9223372036854775807",
        "-9223372036854775808", "true", "false", "''", "'a'", "'A'", "'ab'", "'É*'", "'*a?'", "'1'", "'%'",
        "T0:0",
        "T-1:-999999995", "T9:0", "oid(000000000000000100000000)",
        "uuid(00000000-0000-0000-0000-000000000001)",
        "bin('a')", "bin('ab')", "obj('Zoo', 1)", "obj('Zoo', 99)", "'int'", "'numeric'", "'string'",
      ])
    }
  }
}

/// The same numbers in every run (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
