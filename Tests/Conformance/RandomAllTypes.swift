import GatehouseBSON
public import GatehouseModel
import GatehouseSeeded

/// Random schemas, objects and filters over one class with a property of every type, for engines that must agree.
///
/// Seeds give the properties other indexes and stored names; what the filters name stays the same.
public struct RandomAllTypes: Sendable {
  public let schema: Schema

  private static func schema(_ generator: inout SeededGenerator) -> Schema {
    var properties: [Property] = []
    for scalar in scalars {
      let isIndexed = scalar.isIndexable && Bool.random(using: &generator)
      properties.append(
        property(scalar.name, .one(scalar.type, optional: true), isIndexed ? .general : .none, &generator))
    }
    for scalar in scalars {
      let isIndexed = scalar.type == .string && Bool.random(using: &generator)
      properties.append(
        property(
          scalar.name + "s", .list(scalar.type, optional: true), isIndexed ? .general : .none, &generator))
    }
    properties += [
      property("set", .set(.int, optional: true), .none, &generator),
      property("mixedSet", .set(.mixed, optional: true), .none, &generator),
      property("map", .map(.string, optional: true), .none, &generator),
      property("mixedMap", .map(.mixed, optional: true), .none, &generator),
      property("link", .one(.object("AllTypes"), optional: true), .none, &generator),
      property("links", .list(.object("AllTypes"), optional: false), .none, &generator),
      property("linkMap", .map(.object("AllTypes"), optional: true), .none, &generator),
      property("text", .one(.string, optional: true), .fullText, &generator),
      property("place", .one(.object("Place"), optional: true), .none, &generator),
      property("places", .list(.object("Place"), optional: false), .none, &generator),
      Property(name: "back", type: .linkingObjects(objectType: "AllTypes", property: "link")),
    ]
    return Schema([
      ObjectType(name: "AllTypes", properties: properties, indexes: indexes(of: properties, &generator)),
      ObjectType(
        name: "Place", kind: .embedded,
        properties: [
          Property(name: "type", type: .one(.string, optional: false)),
          Property(name: "coordinates", type: .list(.double, optional: false)),
        ]),
    ])
  }

  private static func property(
    _ name: String, _ type: PropertyType, _ index: Property.Index, _ generator: inout SeededGenerator
  ) -> Property {
    // An alias: the store knows it by another name, which may be another property's but for its case.
    let storedName = Int.random(in: 0..<4, using: &generator) == 0 ? name.uppercased() : nil
    return Property(name: name, storedName: storedName, type: type, index: index)
  }

  private static func indexes(
    of properties: [Property], _ generator: inout SeededGenerator
  ) -> [ObjectType.Index] {
    let candidates = [
      ["int", "-date"], ["string.@folded"], ["double"], ["strings"], ["map"], ["link", "-int"],
      ["decimal", "string"], ["-bool", "string.@folded", "int"], ["set"], ["-float", "uuid"], ["ints"],
    ]
    return candidates.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map { words in
      ObjectType.Index(
        words.map { word in
          let name = word.split(whereSeparator: { "-.".contains($0) })[0]
          let place = properties.firstIndex { $0.name == name } ?? 0
          return ObjectType.Index.Key(
            property: place, isAscending: !word.hasPrefix("-"), isFolded: word.hasSuffix("folded"))
        })
    }
  }

  private static let scalars: [(name: String, type: ElementType, isIndexable: Bool)] = [
    ("bool", .bool, true), ("int", .int, true), ("float", .float, false), ("double", .double, false),
    ("decimal", .decimal128, false), ("string", .string, true), ("data", .data, false), ("date", .date, true),
    ("oid", .objectID, true), ("uuid", .uuid, true), ("mixed", .mixed, true),
  ]

  private var generator: SeededGenerator
  public let objectCount: Int

  /// Few objects, so that many queries find some and not all; now and then enough for indexes to be worth it.
  public init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    objectCount = Int.random(in: 0..<4, using: &generator) == 0 ? 40 : 12
    schema = Self.schema(&generator)
    self.generator = generator
  }

  /// The objects of one store.
  public mutating func drafts() -> [ObjectDraft] {
    let type = schema.objectTypes[0]
    return (0..<objectCount).map { key in
      let assignments = type.properties.indices.compactMap { index -> ObjectDraft.Assignment? in
        if case .linkingObjects = type.properties[index].type { return nil }
        let property = type.properties[index]
        if property.index == .fullText { return ObjectDraft.Assignment(property: index, value: text()) }
        return ObjectDraft.Assignment(property: index, value: value(of: property.type))
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

  private mutating func text() -> DraftValue {
    if Int.random(in: 0..<6, using: &generator) == 0 { return .value(.null) }
    let words = (0..<Int.random(in: 0...4, using: &generator)).map { _ in pick(Self.words) }
    return .value(.string(words.joined(separator: pick([" ", "-", " × ", "漢"]))))
  }

  private static let words = [
    "fox", "Fox", "foxes", "café", "CAFE", "cafés", "Ärger", "ærø", "ß", "a", "1st", "ÿ",
  ]

  private mutating func place() -> ObjectDraft {
    let coordinates = (0..<pick([0, 1, 2, 2, 2, 2, 3])).map { _ in
      DraftValue.value(.double(pick([0, 0.5, 10, -45, 89, 120, 181])))
    }
    return ObjectDraft(assignments: [
      ObjectDraft.Assignment(property: 0, value: .value(.string(pick(["Point", "point", "Line"])))),
      ObjectDraft.Assignment(property: 1, value: .list(coordinates)),
    ])
  }

  private mutating func repeated(_ value: (inout RandomAllTypes) -> DraftValue) -> [DraftValue] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(&self) }
  }

  private mutating func value(of element: ElementType, optional: Bool) -> DraftValue {
    if optional, Int.random(in: 0..<5, using: &generator) == 0 { return .value(.null) }
    guard case .object(let name) = element else { return draft(of: mixed(element)) }
    if name == "Place" { return .embedded(place()) }
    return .link(
      objectType: name, primaryKey: .int(Int64.random(in: 0..<Int64(objectCount), using: &generator)))
  }

  private func draft(of value: Mixed) -> DraftValue {
    switch value {
    case .link(let link): .link(objectType: link.objectType, primaryKey: .int(link.key.value))
    case .list(let elements): .list(elements.map { draft(of: $0) })
    case .dictionary(let entries):
      .map(entries.map { DraftValue.Entry(key: $0.key, value: draft(of: $0.value)) })
    default: .value(value)
    }
  }

  /// Few values of each type, so that many are equal.
  private mutating func mixed(_ element: ElementType, depth: Int = 0) -> Mixed {
    switch element {
    case .bool: return .bool(pick([true, false]))
    case .int: return .int(pick([0, 1, 2, -3, 1 << 53 | 1, .max, .min]))
    case .float: return .float(pick([0, 1, 0.1, -2.5, .nan, .infinity]))
    // The doubles beside 0.3 both equal the decimal, but not each other.
    case .double: return .double(pick([0, 1, 0.1, -2.5, 0.3, 0.1 + 0.2, 0x1p53, 0x1p63, .nan, -.infinity]))
    case .decimal128:
      return .decimal128(
        Decimal128(pick(["0", "1", "0.1", "-2.5", "0.3", "0.30000000000000004", "NaN"])) ?? .zero)
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
    switch Int.random(in: 0..<(depth < 2 ? 14 : 12), using: &generator) {
    case 13: return .dictionary([Mixed.Entry(key: "a", value: anyMixed(depth + 1))])
    case 12: return .list((0..<Int.random(in: 0...2, using: &generator)).map { _ in anyMixed(depth + 1) })
    case 11:
      let key = Int64.random(in: 0..<Int64(objectCount), using: &generator)
      return .link(ObjectLink(objectType: "AllTypes", key: ObjectKey(key)))
    case 10: return .null
    case let kind: return mixed(Self.scalars[kind].type, depth: depth)
    }
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }
}

extension RandomAllTypes {
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

  /// TEXT or GEOWITHIN.
  private mutating func special() -> String {
    let way = pick([
      "", "", "", "link.", "link.link.", "ANY links.", "ANY back.", "links[0].", "linkMap['a'].",
    ])
    if Bool.random(using: &generator) {
      let words = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        pick(["", "", "-"]) + pick(Self.words) + pick(["", "", "*"])
      }
      return "\(way)text TEXT '\(words.joined(separator: " "))'"
    }
    let region = pick([
      "geoBox([-1.0, -1.0], [20.0, 20.0])", "geoCircle([0.0, 0.0], 0.3)", "geoCircle([120.0, 89.0], 2.0)",
      "geoPolygon({[-5.0, -5.0], [30.0, -5.0], [30.0, 60.0], [-5.0, -5.0]})",
      "geoPolygon({[-50.0, -50.0], [60.0, -50.0], [60.0, 60.0], [-50.0, -50.0]}, "
        + "{[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.4]})",
    ])
    let place =
      way.isEmpty ? pick(["place", "ANY places", "ALL places", "NONE places", "places"]) : way + "place"
    return "\(place) GEOWITHIN \(region)"
  }

  private mutating func predicate(depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 3 ? 11 : 7), using: &generator) {
    case 6: special()
    case 7: "NOT (\(predicate(depth: depth + 1)))"
    case 8: "(\(predicate(depth: depth + 1)) AND \(predicate(depth: depth + 1)))"
    case 9: "(\(predicate(depth: depth + 1)) OR \(predicate(depth: depth + 1)))"
    case 10:
      "SUBQUERY(links, $x, \(predicate(depth: 3))).@count \(pick(["==", ">", "!="])) \(pick(["0", "1", "2"]))"
    default: comparison()
    }
  }

  /// Links to objects, one of which is often the row itself.
  private mutating func linkComparison() -> String {
    let way = pick(["", "", "link.", "links[1].", "linkMap['b'].", "links.", "back."])
    let left =
      way + pick(["link", "links[0]", "links[LAST]", "linkMap.a", "linkMap['b']", "links", "linkMap"])
    let object = "obj('AllTypes', \(Int.random(in: 0..<objectCount + 1, using: &generator)))"
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return "\(left) IN {\(object), obj('AllTypes', 3), null}"
    case 1: return "\(object) \(pick(["==", "!="])) \(left)"
    case 2:
      return "\(left) \(pick(["==", "!="])) \(pick(["link", "links[0]", "link.link", "linkMap.a", "null"]))"
    default: return "\(left) \(pick(["==", "!="])) \(object)"
    }
  }

  /// Numbers of all types, computed from properties, elements, aggregates and literals, and compared with such.
  private mutating func arithmeticComparison() -> String {
    let left = "\(number()) \(pick(Self.operators)) \(number())"
    let (first, second) = (pick(["", "", "\(number()) \(pick(Self.operators)) "]) + left, "\(number())")
    let right =
      Int.random(in: 0..<3, using: &generator) == 0 ? "\(second) / \(pick(["2", "2.0", "0.5f"]))" : second
    let relation = pick(["==", "!=", "<", "<=", ">", ">="])
    return Bool.random(using: &generator) ? "\(first) \(relation) \(right)" : "\(right) \(relation) \(first)"
  }

  private static let operators = ["+", "-", "*", "/"]

  private mutating func number() -> String {
    let way = pick(["", "", "", "link.", "links[0].", "linkMap.a."])
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3: return way + pick(["int", "float", "double", "decimal", "mixed"])
    case 4, 5: return pick(["0", "1", "2", "-3", "7", "0.5", "1.5f", "2.0", "1e1", "null"])
    case 6:
      return way
        + pick(["ints.@sum", "decimals.@avg", "links.@count", "ints[0]", "mixedMap.a", "links.@max.float"])
    case 7: return pick(["{1, 2}", "ALL {2, 4}", "NONE {0.5, 3}", "{}", "{1, null, 'a'}"])
    default:
      let quantifier = pick(["", "", "ANY ", "ALL ", "NONE "])
      return quantifier
        + pick(["links.", "back.", ""])
        + pick(["ints", "doubles", "decimals", "mixeds", "set", "links.decimal", "links.int"])
    }
  }

  /// Case aside, of what may be no text.
  private mutating func foldedComparison() -> String {
    let mixed = pick([
      "mixed", "link.mixed", "ANY mixeds", "mixeds", "mixedMap.a", "ALL links.mixed", "mixed[*]", "mixeds[0]",
    ])
    let other = Bool.random(using: &generator) ? constant() : operand()
    let relation = pick(["==[c]", "!=[c]", "==[c]"])
    return Bool.random(using: &generator) ? "\(mixed) \(relation) \(other)" : "\(other) \(relation) \(mixed)"
  }

  /// An element or entry of each of many collections.
  private mutating func pickComparison() -> String {
    let quantifier = pick(["", "", "", "ANY ", "ALL ", "NONE "])
    let way = pick(["links.", "back.", "linkMap.", "link.links.", "links.links."])
    let path =
      way
      + pick([
        "ints[0]", "strings[LAST]", "mixeds[1]", "map.a", "map['é']", "mixedMap.b", "mixed.a", "mixed[0]",
        "mixedMap.a[0]", "links[0]", "linkMap.b", "links[LAST].int", "mixed.@type", "strings[0].@count",
      ])
    let other = pick([
      constant(), "{1, 0}", "{'a', 'ab'}", "{null, 1}", "{obj('AllTypes', 1), obj('AllTypes', 2)}", operand(),
    ])
    let relation = pick(["==", "==", "!=", "<", ">=", "IN", "CONTAINS"])
    return "\(quantifier)\(path) \(relation) \(other)"
  }

  private mutating func comparison() -> String {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: return linkComparison()
    case 2, 3: return arithmeticComparison()
    case 4: return foldedComparison()
    case 5, 6: return pickComparison()
    default: break
    }
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
          "strings.length", "mixed.@size", "links.@min.double", "link.@count", "@links.AllTypes.links.@count",
          "links.@sum.int", "linkMap.@count", "floats.@sum", "@links.@count", "mixed.@type", "int.@type",
          "mixeds.length", "map.@count", "mixedMap.@sum", "mixedMap.@max", "mixedSet.@count", "places.@count",
        ])
    default:
      return pick([
        "(\(way)int + 1)", "(double * \(way)int)", "(int / 2)", "(mixed - int)", "link", "ALL links",
        "\(way)links[0]", "\(way)links[LAST]", "\(way)linkMap.a", "\(way)linkMap['é']", "\(way)link",
      ])
    }
  }

  private mutating func constant() -> String {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return pick(["{}", "{1, 2}", "{'a', null}", "ALL {0, 1}", "NONE {0.1}", "{true}", "{null}"])
    case 1: return "null"
    default:
      return pick([
        "0", "1", "2", "-3", "0.1", "0.3", "9007199254740993", "1.0", "0.1f", "-2.5", "NaN", "inf", "-inf",
        "9223372036854775807",
        "-9223372036854775808", "true", "false", "''", "'a'", "'A'", "'ab'", "'É*'", "'*a?'", "'1'", "'%'",
        "T0:0",
        "T-1:-999999995", "T9:0", "oid(000000000000000100000000)",
        "uuid(00000000-0000-0000-0000-000000000001)",
        "bin('a')", "bin('ab')", "obj('AllTypes', 1)", "obj('AllTypes', 99)", "'int'", "'numeric'",
        "'string'",
      ])
    }
  }
}
