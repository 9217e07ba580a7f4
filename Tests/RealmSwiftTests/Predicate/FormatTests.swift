import Foundation
import Testing

@testable import RealmSwift

/// Formats, and what the query language says for them.
@Suite struct FormatTests {
  @Test(
    arguments: [
      ("age > 3", "age > 3"), ("age=3", "age == 3"), ("age == 0x1F", "age == 31"), ("3 < age", "age > 3"),
      ("age <> 3", "age != 3"), ("age => 3", "age >= 3"), ("age =< 3", "age <= 3"),
      ("age == -3", "age == -3"),
      ("age == -9223372036854775808", "age == -9223372036854775808"), ("age == nil", "age == null"),
      ("age != NULL", "age != null"), ("age == YES", "age == 1"), ("good == YES", "good == true"),
      ("good == 0", "good == false"), ("height == 1e3", "height == 1000.0"), ("height > .5", "height > 0.5"),
      ("weight == 0.1", "weight == 0.1f"), ("price == 1.50", "price == 1.5"),
      ("price == '1.50'", "price == 1.50"),
      ("name == 'Rex'", #"name == "Rex""#), (#"name == "R\"e'x""#, #"name == "R\"e'x""#),
      (#"name == 'a\'b\\\n\u00e9'"#, #"name == "a'b\\\né""#), ("name ==[c] 'a'", #"name ==[c] "a""#),
      ("name BEGINSWITH 'a'", #"name BEGINSWITH "a""#),
      ("name beginswith[c] 'a'", #"name BEGINSWITH[c] "a""#),
      ("name ENDSWITH 'a'", #"name ENDSWITH "a""#),
      ("name CONTAINS[CD] 'É'", #"name.@unaccented[c] CONTAINS "e""#),
      ("name CONTAINS[d] 'É'", #"name.@unaccented CONTAINS "E""#),
      ("name LIKE[c] '*a?'", #"name LIKE[c] "*a?""#),
      ("name CONTAINS ''", "FALSEPREDICATE"), ("name BEGINSWITH nil", "FALSEPREDICATE"),
      ("photo CONTAINS nil", "FALSEPREDICATE"), ("name > nil", "NOT name == null"),
      ("name >= nil", "TRUEPREDICATE"),
      ("name < nil", "FALSEPREDICATE"), ("name <= nil", "name == null"),
      ("name < 'a'", #"name == null OR name < "a""#), ("extra > nil", "NOT extra == null"),
      ("age IN {1, 2, 3}", "age == ANY {1, 2, 3}"), ("age IN {}", "FALSEPREDICATE"),
      ("name in[c] {'a', nil}", #"name ==[c] ANY {"a", null}"#),
      ("age BETWEEN {1, 5}", "age >= 1 AND age <= 5"),
      ("TRUEPREDICATE", "TRUEPREDICATE"), ("falsepredicate", "FALSEPREDICATE"),
      (
        "age > 1 AND age < 5 OR name == 'a' && NOT good == true",
        #"(age > 1 AND age < 5) OR (name == "a" AND NOT good == true)"#
      ),
      ("!(age > 1) || (age < 5)", "NOT age > 1 OR age < 5"), ("((((age)) > ((1))))", "age > 1"),
      ("NOT NOT age > 1", "NOT NOT age > 1"),
      ("owner.name == 'A'", #"owner.name == "A""#), ("owner == nil", "owner == null"),
      ("ANY ages > 3", "ANY ages > 3"), ("SOME ages > 3", "ANY ages > 3"),
      ("NONE ages > 3", "NOT ANY ages > 3"),
      ("3 IN ages", "ANY ages == 3"), ("ANY ages IN {1, 2}", "ANY ages == ANY {1, 2}"),
      ("ages.@count > 2", "ages.@count > 2"), ("ages[SIZE] > 2", "ages.@count > 2"),
      ("ages[0] == 1", "ages[0] == 1"),
      ("ages[FIRST] == 1", "ages[0] == 1"), ("ages[last] == 1", "ages[LAST] == 1"),
      ("ages.@sum == 3", "ages.@sum == 3"), ("ages.@avg > 1.5", "ages.@avg > 1.5"),
      ("ages.@min = nil", "ages.@min == null"),
      ("friends.@max.age > 3", "friends.@max.age > 3"), ("friends.@count == 0.0", "friends.@count == 0"),
      ("friends.@min.born == nil", "friends.@min.born == null"),
      ("ANY friends.name == 'a'", #"ANY friends.name == "a""#),
      ("ANY friends.age BETWEEN {1, 2}", "SUBQUERY(friends, $x, age >= 1 AND age <= 2).@count > 0"),
      ("scores['a'] == 1", #"scores["a"] == 1"#), ("ANY scores.@allKeys == 'a'", #"ANY scores.@keys == "a""#),
      ("ANY scores.@allValues > 1", "ANY scores > 1"), ("scores.@count == 1", "scores.@count == 1"),
      ("ANY roles.@allKeys BEGINSWITH 'a'", #"ANY roles.@keys BEGINSWITH "a""#),
      ("extra['a'][0] == 1", #"extra["a"][0] == 1"#), ("extra[#any] == 1", "ANY extra[*] == 1"),
      ("extra['a'] == 'x'", #"extra["a"] == "x""#),
      (
        "SUBQUERY(friends, $d, $d.age > 3 AND $d.owner.name == 'a').@count > 1",
        #"SUBQUERY(friends, $x, age > 3 AND owner.name == "a").@count > 1"#
      ),
      ("owner.dogs.@count == 1", "owner.@links.Dog.owner.@count == 1"),
      ("age == owner.age", "age == owner.age"),
      (
        "name CONTAINS owner.name",
        #"name CONTAINS owner.name AND NOT owner.name == null AND NOT owner.name == """#
      ),
      ("name ==[cd] owner.name", "name.@unaccented[c] == owner.name.@unaccented[c]"),
      ("#age > 3", "age > 3"), ("SELF.age > 3", "age > 3"), ("extra == 5", "extra == 5"),
    ])
  func `a format asks`(format: String, text: String) throws {
    #expect(try Kennel.text(format) == text)
  }

  @Test(
    arguments: [
      ("age > %@", [3], "age > 3"), ("%K > %@", ["age", 3], "age > 3"),
      ("%K == %@", ["owner.name", "a"], #"owner.name == "a""#),
      (
        "age == %d AND age == %i AND age == %ld AND age == %lu AND height == %f", [1, 2, 3, 4, 0.5],
        "age == 1 AND age == 2 AND age == 3 AND age == 4 AND height == 0.5"
      ),
      ("age == %@", [Optional<Int>.none as any Sendable], "age == null"),
      ("age IN %@", [[1, 2]], "age == ANY {1, 2}"),
      ("age BETWEEN %@", [[1, 2]], "age >= 1 AND age <= 2"), ("name == '%@'", [], #"name == "%@""#),
      ("born == %@", [Date(timeIntervalSince1970: 5)], "born == T5:0"),
      ("photo == %@", [Data([1])], #"photo == binary(B64"AQ==")"#),
      ("oid == %@", [ObjectId("507f1f77bcf86cd799439011")], "oid == oid(507f1f77bcf86cd799439011)"),
      (
        "chip == %@", ["123e4567-e89b-12d3-a456-426614174000"],
        "chip == uuid(123e4567-e89b-12d3-a456-426614174000)"
      ),
      ("price == %@", [2.5 as Decimal128], "price == 2.5"), ("age IN {%@, %@}", [1, 2], "age == ANY {1, 2}"),
      ("scores[%@] == %@", ["k", 1], #"scores["k"] == 1"#),
      ("extra[%@][%@][%K] == 1", [0, "a", "#any"], #"ANY extra[0]["a"][*] == 1"#),
      ("%@ IN tags", ["x"], #"ANY tags == "x""#),
      ("%K CONTAINS[c] %@", ["name", "x"], #"name CONTAINS[c] "x""#),
      ("ANY %K.name == %@", ["friends", "x"], #"ANY friends.name == "x""#), ("age == %@", [true], "age == 1"),
      (
        "place IN %@", [GeoBox(bottomLeft: (1, 2), topRight: (3, 4)) as any Sendable],
        "place GEOWITHIN geoBox([2.0, 1.0], [4.0, 3.0])"
      ),
    ] as [(String, [any Sendable], String)])
  func `arguments take their places`(format: String, arguments: [any Sendable], text: String) throws {
    #expect(try Kennel.text(format, arguments) == text)
  }

  @Test(
    arguments: [
      "", "age", "age >", "> 3", "age > 3 AND", "age > 3 4", "(age > 3", "age > 3)", "age > 'a",
      "age > 3 < 5", "age == %", "age == %q",
      "ANY (age > 3)", "NOT", "age ==[x] 3", "age == {1", "a..b == 1", "age[ == 1", "age[] == 1",
      "name == 'a\\", "5a == 5", "age == $",
      "@ == 1", "# == 1", "SUBQUERY(friends, d, TRUEPREDICATE).@count == 1",
      "SUBQUERY(1, $d, TRUEPREDICATE).@count == 1",
      "(age > 3) + 1 > 2", "name == '\\ud800'", "age ~ 3", "{age > 3} == 1", "TRUEPREDICATE == 1",
      "age == -'a'",
    ])
  func `another text is refused`(format: String) {
    #expect(Kennel.reason(format) == "Unable to parse the format string \"\(format)\"")
  }

  @Test(
    arguments: [
      ("ALL ages > 3", "ALL modifier not supported"), ("1 == 1", noKeyPath), ("age + 1 == 2", noKeyPath),
      ("abs(age) == 2", noKeyPath),
      ("1 BETWEEN {1, 2}", noKeyPath), ("tail == 1", "Property 'tail' not found in object of type 'Dog'"),
      ("owner.tail == 1", "Property 'tail' not found in object of type 'Person'"),
      ("name.first == 'a'", "Property 'name' is not a link in object of type 'Dog'"),
      ("ages.first == 1", "Property 'ages' is not a link in object of type 'Dog'"),
      ("ages > 3", "Key paths that include a collection property must use aggregate operations"),
      ("friends.age > 3", "Key paths that include a collection property must use aggregate operations"),
      (
        "ANY age > 3",
        "Aggregate operations can only be used on key paths that include an collection property"
      ),
      ("3 IN age", "Aggregate operations can only be used on key paths that include an collection property"),
      ("good > true", "Operator '>' not supported for type 'bool'"),
      ("name MATCHES 'a'", "Operator 'MATCHES' not supported for type 'string'"),
      ("name BETWEEN {'a', 'b'}", "Operator 'BETWEEN' not supported for type 'string'"),
      ("age CONTAINS 3", "Operator 'CONTAINS' not supported for type 'int'"),
      ("owner > nil", "Operator '>' not supported for type 'object'"),
      ("oid < nil", "Operator '<' not supported for type 'object id'"),
      ("name >[c] 'a'", "Lexicographical comparisons must be case-sensitive"),
      ("name LIKE[d] 'a'", "Operator 'LIKE' not supported with diacritic-insensitive modifier."),
      ("'a' CONTAINS name", "Operator 'CONTAINS' requires a keypath on the left side."),
      ("name == 3", "Cannot compare value '3' of type 'Int' to property 'name' of type 'string'"),
      ("age == 'x'", "Cannot compare value 'x' of type 'String' to property 'age' of type 'int'"),
      ("age == 1.5", "Cannot compare value '1.5' of type 'Double' to property 'age' of type 'int'"),
      ("owner == 1", "Cannot compare value '1' of type 'Int' to property 'owner' of type 'Person'"),
      (
        "age IN {1, 'a'}",
        "Expected object of type int in IN clause for property 'age' on object of type 'Dog', but received: a"
      ),
      ("age IN 3", "IN clause requires an array of items"),
      ("age BETWEEN 3", "object must be of type NSArray for BETWEEN operations"),
      ("age BETWEEN {1}", "NSArray object must contain exactly two objects for BETWEEN operations"),
      ("age == name", "Property type mismatch between int and string"),
      ("age == height", "Property type mismatch between int and double"),
      ("ANY ages == friends.@count", nil),
      ("ANY ages == ages", "Comparing two collection columns is not permitted."),
      ("ages.@count == 'a'", "@count can only be compared with a numeric value."),
      ("ages.@avg == 'a'", "@avg can only be compared with a numeric value."),
      ("ages.@max == 'a'", "@max on a property of type int cannot be compared with 'a'"),
      ("tags.@sum == 1", "@sum can only be applied to a numeric property."),
      ("age.@count == 1", "@count can only be applied to a collection property."),
      ("owner.@count == 1", "@count can only be applied to a collection property."),
      ("visits.@min > 5", "@min on a property of type date cannot be compared with '5'"),
      ("SUBQUERY(friends, $d, $d.age > 3) > 1", subqueryCount),
      ("SUBQUERY(friends, $d, $d.age > 3).@count > age", subqueryCount),
      ("SUBQUERY(friends, $d, $d.age > 3).@count > 'a'", subqueryCount),
      (
        "SUBQUERY(owner, $d, $d.age > 3).@count > 1", "SUBQUERY can only be applied to a collection property."
      ),
      ("$x.age > 3", "Variable '$x' is not that of a SUBQUERY around it"),
      ("age == %@", "Insufficient arguments for the format string's conversions"),
      ("age['a'] == 1", "Property 'age' is not a link in object of type 'Dog'"),
      ("tags[0] == 'a'", "Property 'tags[0]' cannot be subscripted"),
    ] as [(String, String?)])
  func `a predicate that asks for what there is not is refused`(format: String, reason: String?) {
    do {
      let text = try Kennel.text(format)
      #expect(reason == nil, "\(text)")
    } catch {
      #expect(error.reason == reason)
    }
  }

  static let noKeyPath =
    "Predicate expressions must compare a keypath and another keypath or a constant value"
  static let subqueryCount =
    "SUBQUERY is only supported when immediately followed by .@count that is compared to a constant number."
}
