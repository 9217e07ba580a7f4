import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

@testable import RealmSwift

/// Predicates mean what a plain evaluator in Swift says.
@Suite struct MeaningTests {
  static let texts: [String?] = [nil, "", "a", "A", "ab", "Éa", "éa", "ea", "aé", "b", "aÀb", "ß", "*"]

  @Test(
    arguments: ["==", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH"],
    ["", "[c]", "[d]", "[cd]"])
  func `texts relate as Realm's do`(relation: String, options: String) throws {
    if relation.hasPrefix("<") || relation.hasPrefix(">"), !options.isEmpty { return }
    for left in Self.texts {
      for right in Self.texts {
        let holds = try Kennel.holds(
          "name \(relation)\(options) %@", [right as Any], ["name": left.map { .string($0) } ?? .null])
        let expected = Self.holds(Self.folded(left, options), relation, Self.folded(right, options))
        #expect(holds == expected, "\(left ?? "nil") \(relation)\(options) \(right ?? "nil")")
      }
    }
  }

  /// Realm's rules, in other words than the binder's.
  private static func holds(_ left: String?, _ relation: String, _ right: String?) -> Bool {
    func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
    let (left, right) = (bytes(left), bytes(right))
    // Null is below every text.
    let isLess =
      left == nil ? right != nil : right.map { left?.lexicographicallyPrecedes($0) ?? false } ?? false
    switch relation {
    case "==": return left == right
    case "!=": return left != right
    case "<": return isLess
    case "<=": return isLess || left == right
    case ">": return !isLess && left != right
    case ">=":
      // Realm's null is also not less than null.
      return !isLess
    default: break
    }
    guard let left, let right, !right.isEmpty else { return false }
    switch relation {
    case "BEGINSWITH": return left.starts(with: right)
    case "ENDSWITH": return left.count >= right.count && Array(left.suffix(right.count)) == right
    default: return left.indices.contains { left[$0...].starts(with: right) }
    }
  }

  private static func folded(_ text: String?, _ options: String) -> String? {
    guard var text else { return nil }
    if options.contains("d") {
      for (letter, plain) in [("É", "E"), ("é", "e"), ("À", "A")] {
        text = text.replacing(letter, with: plain)
      }
    }
    return options.contains("c") ? text.lowercased() : text
  }

  static let numbers: [Int?] = [nil, -1, 0, 1, 2, .max, .min]

  @Test(arguments: ["==", "!=", "<", "<=", ">", ">="])
  func `numbers relate as Realm's do`(relation: String) throws {
    for left in Self.numbers {
      for right in Self.numbers {
        let holds = try Kennel.holds(
          "age \(relation) %@", [right as Any], ["age": left.map { .int(Int64($0)) } ?? .null])
        let expected: Bool
        if let left, let right {
          expected =
            switch relation {
            case "==": left == right
            case "!=": left != right
            case "<": left < right
            case "<=": left <= right
            case ">": left > right
            default: left >= right
            }
        } else {
          // Null equals null and has no place among numbers.
          let isEqual = left == right
          expected = relation == "!=" ? !isEqual : isEqual && relation.contains("=")
        }
        #expect(
          holds == expected,
          "\(left.map(String.init) ?? "nil") \(relation) \(right.map(String.init) ?? "nil")")
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `compounds hold as their parts say`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let (format, test) = compound(depth: 4, &generator)
      for age in 0..<4 {
        #expect(try Kennel.holds(format, [], ["age": .int(Int64(age))]) == test(age), "\(format) of \(age)")
      }
    }
  }

  private func compound(
    depth: Int, _ generator: inout SeededGenerator
  ) -> (String, @Sendable (Int) -> Bool) {
    let number = Int.random(in: 0..<4, using: &generator)
    switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &generator) {
    case 0: return ("age == \(number)", { $0 == number })
    case 1: return ("\(number) < age", { $0 > number })
    case 2:
      let (format, test) = compound(depth: depth - 1, &generator)
      return ("NOT (\(format))", { !test($0) })
    case 3:
      let (left, right) = (compound(depth: depth - 1, &generator), compound(depth: depth - 1, &generator))
      return ("(\(left.0) AND \(right.0))", { left.1($0) && right.1($0) })
    case 4:
      let (left, right) = (compound(depth: depth - 1, &generator), compound(depth: depth - 1, &generator))
      return ("((\(left.0)) || \(right.0))", { left.1($0) || right.1($0) })
    default: return ("age BETWEEN {\(number), 2}", { $0 >= number && $0 <= 2 })
    }
  }

  @Test func `collections are asked for an element or for all together`() throws {
    let dog: [String: Mixed] = [
      "ages": .list([.int(1), .null, .int(5)]), "tags": .list([]),
      "visits": .list([.date(.init(seconds: 5))]),
      "scores": .dictionary([Mixed.Entry(key: "a", value: .int(1)), Mixed.Entry(key: "b", value: .null)]),
    ]
    for (format, expected) in [
      ("ANY ages == 1", true), ("ANY ages != 1", true), ("ANY ages == nil", true), ("NONE ages == 2", true),
      ("5 IN ages", true),
      ("4 IN ages", false), ("ages.@count == 3", true), ("ages.@min == 1 AND ages.@max == 5", true),
      ("ages.@sum == 6", true),
      ("ages.@avg == 3", true), ("tags.@count == 0", true), ("ANY tags == 'a'", false),
      ("NONE tags == 'a'", true), ("ages[1] == nil", true),
      ("ages[LAST] == 5", true), ("scores['a'] == 1", true), ("scores['b'] == nil", true),
      ("ANY scores.@allKeys == 'b'", true),
      ("ANY scores.@allValues == 1", true), ("ANY ages BETWEEN {4, 6}", true), ("visits.@min == %@", true),
      ("visits.@max > %@", false),
    ] {
      let date = FoundationDate(.init(seconds: 5))
      #expect(try Kennel.holds(format, [date], dog) == expected, "\(format)")
    }
  }

  @Test func `objects are compared by what identifies them`() throws {
    let dog = PredicateObject(className: "Dog", id: .int(7), members: [], text: "Dog 7")
    let none = PredicateObject(className: "Dog", id: nil, members: [], text: "Dog")
    let person = PredicateObject(className: "Person", id: .int(3), members: [], text: "Person 3")
    func text(_ format: String, _ object: PredicateObject) throws -> String {
      try Kennel.text(format, [Argument(object)])
    }
    #expect(try text("%@ IN friends", dog) == #"ANY friends == obj("Dog", 7)"#)
    #expect(try text("ANY friends == %@", none) == "FALSEPREDICATE")
    #expect(
      try text("owner != %@", PredicateObject(className: "Person", id: nil, members: [], text: ""))
        == "TRUEPREDICATE")
    #expect(try text("owner == %@", person) == #"owner == obj("Person", 3)"#)
    #expect(try text("extra == %@", person) == #"extra == obj("Person", 3)"#)
    #expect(try text("SELF == %@", dog) == "id == 7")
    #expect(try text("NOT SELF IN {%@}", dog) == "NOT (id == 7)")
    #expect(
      throws: RealmPredicateError(
        "Invalid value",
        "Expected object of type Person for property 'owner' on object of type 'Dog', but received: Dog 7")
    ) {
      try text("owner == %@", dog)
    }
    let place = PredicateObject(
      className: "Place", id: nil, members: [.init(name: "type", value: .value(.string("Point")), kind: "")],
      text: "Place")
    #expect(try text("place == %@", place) == #"place.type == "Point""#)
    let unknown = PredicateObject(
      className: "Place", id: nil, members: [.init(name: "coordinates", value: nil, kind: "lists")], text: "")
    #expect(
      throws: RealmPredicateError(
        "Invalid predicate",
        "Unsupported property 'coordinates' for memberwise equality query: equality on lists is not implemented."
      )
    ) { try text("place == %@", unknown) }
  }

  private struct Argument: PredicateArgument {
    let predicateConstant: PredicateConstant

    init(_ object: PredicateObject) { predicateConstant = .object(object) }
  }
}
