import Foundation
import Testing

@testable import RealmSwift

private enum Temper: Int, PersistableEnum {
  case good
  case bad
}

private struct Tag: CustomPersistable {
  typealias PersistedType = String
  var persistableValue: String
  init(persistedValue: String) { persistableValue = persistedValue }
}

private final class Spot: EmbeddedObject {
  @Persisted var type: String
}

private final class Kid: Object {
  @Persisted var name: String
  @Persisted var nickname: String?
  @Persisted var age: Int
  @Persisted var good: Bool
  @Persisted var born: Date?
  @Persisted var photo: Data
  @Persisted var mood: Temper
  @Persisted var moods: Temper?
  @Persisted var tag: Tag
  @Persisted var friend: Kid?
  @Persisted var spot: Spot?
}

/// The text of a `where`, and its arguments as they print, and that the text is read as what the closure made.
@Suite struct QueryTextTests {
  private func check(
    _ text: String, _ arguments: [String] = [], location: SourceLocation = #_sourceLocation,
    _ query: (Query<Kid>) -> Query<Bool>
  ) throws {
    try check(text, arguments, query(Query<Kid>._constructForTesting()), location: location)
  }

  private func check(
    _ text: String, _ arguments: [String] = [], _ query: Query<Bool>,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let (format, values) = query._constructPredicate()
    #expect(format == text, sourceLocation: location)
    #expect(values.map { "\($0)" } == arguments, sourceLocation: location)
    let read = try RealmPredicate(parsing: format, arguments: values)
    #expect(read == query.predicate, sourceLocation: location)
  }

  @Test func `a comparison is a path, an operator and a value`() throws {
    try check("(age == %@)", ["3"]) { $0.age == 3 }
    try check("(age != %@)", ["3"]) { $0.age != 3 }
    try check("(age > %@)", ["3"]) { $0.age > 3 }
    try check("(age >= %@)", ["3"]) { $0.age >= 3 }
    try check("(age < %@)", ["3"]) { $0.age < 3 }
    try check("(age <= %@)", ["3"]) { $0.age <= 3 }
    try check("(nickname == %@)", ["<null>"]) { $0.nickname == nil }
    try check("(nickname > %@)", ["a"]) { $0.nickname > "a" }
    try check("(born < %@)", ["\(Date(timeIntervalSince1970: 5))"]) {
      $0.born < Date(timeIntervalSince1970: 5)
    }
    try check("(age == age)") { $0.age == $0.age }
    try check("(name < name)") { $0.name < $0.name }
  }

  @Test func `a property may be a predicate, and predicates are joined`() throws {
    try check("good == true") { $0.good }
    try check("good == false") { !$0.good }
    try check("(good == true && (age == %@))", ["3"]) { $0.good && $0.age == 3 }
    try check("(good == false || good == true)") { !$0.good || $0.good }
    try check("(NOT age == %@)", ["3"]) { !($0.age == 3) }
    try check("NOT ((age == %@) || (age == %@))", ["3", "4"]) { !($0.age == 3 || $0.age == 4) }
    try check("(((age == %@) && (age == %@)) && (age == %@))", ["1", "2", "3"]) {
      $0.age == 1 && $0.age == 2 && $0.age == 3
    }
  }

  @Test func `a range is two comparisons or BETWEEN, a sequence IN`() throws {
    try check("((age >= %@) && (age < %@))", ["1", "5"]) { $0.age.contains(1..<5) }
    try check("(age BETWEEN {%@, %@})", ["1", "5"]) { $0.age.contains(1...5) }
    try check("(NOT age BETWEEN {%@, %@})", ["1", "5"]) { !$0.age.contains(1...5) }
    try check("(age IN %@)", ["[1, 2]"]) { $0.age.in([1, 2]) }
    try check("(nickname IN %@)", ["[\"a\", <null>]"]) { $0.nickname.in(["a", nil]) }
    try check("(name BETWEEN {%@, %@})", ["a", "b"]) { $0.name.contains("a"..."b") }
  }

  @Test func `texts and data have options`() throws {
    try check("(name CONTAINS %@)", ["a"]) { $0.name.contains("a") }
    try check("(name BEGINSWITH[c] %@)", ["a"]) { $0.name.starts(with: "a", options: .caseInsensitive) }
    try check("(name ENDSWITH[d] %@)", ["a"]) { $0.name.ends(with: "a", options: .diacriticInsensitive) }
    try check("(nickname ==[cd] %@)", ["a"]) {
      $0.nickname.equals("a", options: [.caseInsensitive, .diacriticInsensitive])
    }
    try check("(nickname !=[c] %@)", ["<null>"]) { $0.nickname.notEquals(nil, options: .caseInsensitive) }
    try check("(name LIKE[c] %@)", ["a*"]) { $0.name.like("a*", caseInsensitive: true) }
    try check("(name LIKE name)") { $0.name.like($0.name) }
    try check("(name CONTAINS friend.name)") { $0.name.contains($0.friend.name) }
    try check("(photo CONTAINS %@)", ["1 bytes"]) { $0.photo.contains(Data([1])) }
  }

  @Test func `links go on, and enums and types of one's own are what is stored of them`() throws {
    try check("(friend.friend.name == %@)", ["a"]) { $0.friend.friend.name == "a" }
    try check("(friend == %@)", ["<null>"]) { $0.friend == nil }
    try check("(mood == %@)", ["1"]) { $0.mood == .bad }
    try check("(moods IN %@)", ["[0, <null>]"]) { $0.moods.in([.good, nil]) }
    try check("(mood.rawValue == %@)".replacing(".rawValue", with: ""), ["1"]) { $0.mood.rawValue == 1 }
    try check("(tag == %@)", ["x"]) { $0.tag == Tag(persistedValue: "x") }
    try check("(tag CONTAINS %@)", ["x"]) { $0.tag.persistableValue.contains("x") }
    try check("(spot IN %@)", ["GeoCircle([2.0, 1.0], 0.5)"]) {
      $0.spot.geoWithin(GeoCircle(center: (1, 2), radiusInRadians: 0.5)!)
    }
  }

  private let ages = QueryNode.keyPath(["kids", "age"], options: [.isCollection, .requiresAny])
  private let list = QueryNode.keyPath(["numbers"], options: [.isCollection, .requiresAny])

  @Test func `a collection has ANY, and operations have none`() throws {
    try check("(ANY kids.age == %@)", ["3"], Query<Int>(ages) == 3)
    try check("(%@ IN numbers)", ["3"], Query<Bool>(.comparison(.in, .value(3), list.erasingAny())))
    try check("(ANY numbers IN %@)", ["[3]"], Query<Int>(list).in([3]))
    try check("(numbers.@count == %@)", ["3"], Query<Int>(list.erasingAny(appending: "@count")) == 3)
    try check("(kids.@avg.age > %@)", ["3"], Query<Int>(ages).avg > 3)
    try check("(numbers.@max == %@)", ["3"], Query<Int>(list).max == 3)
    try check(
      "((numbers.@min >= %@) && (numbers.@max <= %@))", ["1", "5"],
      Query<Bool>(.allInRange(list, from: 1, to: 5, isClosed: true)))
    try check(
      "NOT ((numbers.@min >= %@) && (numbers.@max < %@))", ["1", "5"],
      !Query<Bool>(.allInRange(list, from: 1, to: 5, isClosed: false)))
    try check(
      "(ANY map.@allKeys == %@)", ["a"],
      Query<String>(map.appending("@allKeys", options: .requiresAny)) == "a")
    try check("(map[%@] == %@)", ["a", "1"], Query<Int>(.mapSubscript(map.erasingAny(), key: "a")) == 1)
    try check(
      "(extra[%@][%@][%K] == %@)", ["0", "a", "#any", "1"],
      Query<Int>(
        QueryNode.keyPath(["extra"], options: []).stepping(.index(0)).stepping(.key("a")).stepping(.all)) == 1
    )
  }

  private let map = QueryNode.keyPath(["map"], options: [.isCollection, .requiresAny])

  @Test func `a predicate on elements is counted by a subquery`() throws {
    try check(
      "(SUBQUERY(kids, $col1, ($col1.age == %@)).@count == %@)", ["3", "1"],
      (Query<Int>(ages) == 3).count == 1)
    try check(
      "((SUBQUERY(kids, $col1, (($col1.age == %@) && ($col1.age != %@))).@count == %@) && (SUBQUERY(kids, $col2, NOT (($col2.age == %@) || ($col2.age == %@))).@count > %@))",
      ["3", "4", "1", "5", "6", "2"],
      (Query<Int>(ages) == 3 && Query<Int>(ages) != 4).count == 1
        && (!(Query<Int>(ages) == 5 || Query<Int>(ages) == 6)).count > 2)
  }

  @Test func `what Realm refuses is refused`() {
    let subscripted = Query<Int>(.mapSubscript(.keyPath(["map"], options: .isCollection), key: "a"))
    let (a, b) = (
      QueryNode.keyPath(["a"], options: .isCollection), QueryNode.keyPath(["b"], options: .isCollection)
    )
    for (query, reason) in [
      (
        (Query<Int>(.keyPath(["age"], options: [])) == 3).count == 1,
        "Subqueries must contain a keypath starting with a collection."
      ), ((subscripted == 1).count == 1, "Subqueries do not support map subscripts."),
      (Query<Int>(a) == Query<Int>(b), "Comparing two collection columns is not permitted."),
    ] {
      do throws(RealmPredicateError) {
        _ = try QueryText(query.node)
        Issue.record("it was written")
      } catch {
        #expect(error.reason == reason)
      }
      do throws(RealmPredicateError) {
        _ = try query.node.syntax()
        Issue.record("it was translated")
      } catch {
        #expect(error.reason == reason)
      }
    }
  }

  @Test func `key paths have names`() {
    #expect(_name(for: \Kid.name) == "name")
    #expect(_name(for: \Kid.friend?.friend?.age) == "friend.friend.age")
    #expect(_name(for: \Kid.spot?.type) == "spot.type")
    #expect(_name(for: \Kid.name.count) == "name")
    #expect(_name(for: \Kid.self) == "")
  }
}
