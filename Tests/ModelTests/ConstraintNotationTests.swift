import GatehouseBSON
import GatehouseModel
import Testing

/// Rules for values beside their types, as schemas spell them.
@Suite struct ConstraintNotationTests {
  private func schema(_ property: String, check: String = "[]") throws -> Schema {
    try Schema(
      notation: Value(
        json: #"[{"name":"C","properties":{"p":\#(property),"link":"C","part":"E"},"check":\#(check)},"#
          + #"{"name":"E","embedded":true,"properties":{"x":"int"}}]"#))
  }

  @Test(arguments: [
    #"{"type":"string","enum":["a","b"],"minLength":1,"maxLength":3}"#,
    #"{"type":"int","optional":true,"minimum":-1,"maximum":5}"#,
    #"{"type":"decimal128","minimum":"0.10"}"#, #"{"type":"date","maximum":"2030-01-01T00:00:00Z"}"#,
    #"{"type":"list","objectType":"double","enum":[1,2.5],"minItems":1,"maxItems":2}"#,
    #"{"type":"dictionary","objectType":"C","maxItems":0}"#, #"{"type":"data","maxLength":8}"#,
    #"{"type":"string","default":"b","unique":true,"enum":["a","b"]}"#,
  ])
  func `rules are written as they are read`(property: String) throws {
    let schema = try schema(property)
    #expect(schema["C"]?["p"]?.notation == (try Value(json: property)))
    #expect(try Schema(notation: schema.notation) == schema)
    let renamed = schema.renaming(PropertyRename(objectType: "C", from: "p", to: "q"))
    #expect(renamed["C"]?["q"]?.constraints == schema["C"]?["p"]?.constraints)
  }

  @Test(arguments: [#""n > 1""#, #"["n > 1","n < 5"]"#])
  func `so are checks, one or several`(check: String) throws {
    let schema = try schema(#""int""#, check: check)
    guard case .array(let classes) = schema.notation, case .document(let type)? = classes.first else {
      return #expect(Bool(false))
    }
    #expect(type["check"] == (try Value(json: check)))
    #expect(try Schema(notation: schema.notation) == schema)
    #expect(try self.schema(#""int""#).difference(to: schema).destructive.isEmpty)
    #expect(
      try schema.difference(to: self.schema(#""int""#)).changes.allSatisfy {
        $0.description.hasPrefix("C: check removed: n")
      })
  }

  @Test(
    arguments: [
      (#"{"type":"int","enum":1}"#, .memberOfWrongType("enum")),
      (#"{"type":"int","enum":[]}"#, .contradictoryConstraint("enum")),
      (
        #"{"type":"int","enum":["1"]}"#,
        .illegalConstraint(
          "enum",
          ValidationProblem(
            pointer: "", .wrongType(expected: .one(.int, optional: false), found: .string)))
      ),
      (
        #"{"type":"int?","enum":[null]}"#,
        .illegalConstraint("enum", ValidationProblem(pointer: "", .null))
      ),
      (#"{"type":"data","enum":["AA=="]}"#, .memberNotAllowed("enum")),
      (#"{"type":"mixed","enum":[1]}"#, .memberNotAllowed("enum")),
      (#"{"type":"C[]","enum":[1]}"#, .memberNotAllowed("enum")),
      (#"{"type":"string","minimum":1}"#, .memberNotAllowed("minimum")),
      (#"{"type":"uuid","maximum":1}"#, .memberNotAllowed("maximum")),
      (#"{"type":"int","minimum":3,"maximum":2}"#, .contradictoryConstraint("minimum")),
      (
        #"{"type":"double","minimum":{"$numberDouble":"NaN"}}"#,
        .illegalConstraint("minimum", ValidationProblem(pointer: "", .outOfRange(.double)))
      ),
      (#"{"type":"int","minLength":1}"#, .memberNotAllowed("minLength")),
      (#"{"type":"string","minLength":-1}"#, .memberOfWrongType("minLength")),
      (#"{"type":"string","maxLength":1.5}"#, .memberOfWrongType("maxLength")),
      (#"{"type":"string","minLength":2,"maxLength":1}"#, .contradictoryConstraint("minLength")),
      (#"{"type":"string","maxItems":2}"#, .memberNotAllowed("maxItems")),
      (#"{"type":"int[]","minItems":2,"maxItems":1}"#, .contradictoryConstraint("minItems")),
      (
        #"{"type":"linkingObjects","objectType":"C","property":"link","enum":[1]}"#,
        .memberNotAllowed("enum")
      ),
      (
        #"{"type":"int","default":5,"maximum":4}"#,
        .illegalDefault(
          ValidationProblem(
            pointer: "",
            .constraint(.range(minimum: nil, maximum: .int32(4)), objectType: "C")))
      ),
    ] as [(String, SchemaRule)])
  func `rules that a property cannot have are refused`(property: String, rule: SchemaRule) throws {
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", property: "p", rule)])) {
      try schema(property)
    }
  }

  @Test(arguments: ["1", "[1]", "{}"]) func `a check is a text`(check: String) throws {
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", .memberOfWrongType("check"))])) {
      try schema(#""int""#, check: check)
    }
  }

  @Test func `there are at most 256 values and 32 checks`() throws {
    let values = { (count: Int) in (0..<count).map(String.init).joined(separator: ",") }
    #expect(try schema(#"{"type":"int","enum":[\#(values(256))]}"#)["C"]?["p"]?.constraints != nil)
    #expect(
      throws: SchemaError([
        SchemaProblem(objectType: "C", property: "p", .tooManyAllowedValues(limit: 256))
      ])
    ) { try schema(#"{"type":"int","enum":[\#(values(257))]}"#) }
    let checks = Array(repeating: #""p > 1""#, count: 33).joined(separator: ",")
    #expect(throws: SchemaError([SchemaProblem(objectType: "C", .tooManyChecks(limit: 32))])) {
      try schema(#""int""#, check: "[\(checks)]")
    }
  }

  @Test func `other rules are a change that loses nothing, how they are spelt among others`() throws {
    let before = try schema(#""int""#)
    let after = try schema(#"{"type":"int","minimum":1}"#)
    #expect(
      before.difference(to: after).changes == [.constraintsChanged(objectType: "C", property: "p")])
    #expect(before.difference(to: after).changes[0].description == "C.p: rules for values changed")
    #expect(before.difference(to: after).destructive.isEmpty)
  }

  @Test func `whoever does not see a property is told no check that may name it`() throws {
    let schema = try schema(#""int""#, check: #"["p > 1","part.x > 2","link != null"]"#)
    #expect(schema.masked(hiding: ["C": [0]])["C"]?.constraints.checks == ["part.x > 2", "link != null"])
    // So does one of another class.
    #expect(schema.masked(hiding: ["E": [0]])["C"]?.constraints.checks == ["p > 1", "link != null"])
    #expect(ObjectType.Constraints.mayName(["a b"], check: #"a\ b = 1"#))
  }

  @Test func `lengths are Unicode scalars and bytes, NaN is in no range, and numbers are compared by value`()
    throws
  {
    func constraints(_ property: String) throws -> ValueConstraints {
      try #require(try schema(property)["C"]?["p"].flatMap { ValueConstraints($0) })
    }
    let text = try constraints(#"{"type":"string","maxLength":2}"#)
    #expect(text.brokenRule(by: .string("e\u{301}")) == nil)
    #expect(text.brokenRule(by: .string("👨‍👩‍👧")) == .length(CountBounds(maximum: 2), ofText: true))
    let data = try constraints(#"{"type":"data","minLength":2}"#)
    #expect(data.brokenRule(by: .data([1])) == .length(CountBounds(minimum: 2), ofText: false))
    let double = try constraints(#"{"type":"double","maximum":2}"#)
    #expect(double.brokenRule(by: .double(.nan)) != nil && double.brokenRule(by: .double(-.infinity)) == nil)
    let float = try constraints(#"{"type":"float","minimum":0.1,"maximum":0.1}"#)
    #expect(float.brokenRule(by: .float(0.1)) == nil && float.brokenRule(by: .float(0.10001)) != nil)
    let decimal = try constraints(#"{"type":"decimal128","enum":["1.0"]}"#)
    #expect(
      decimal.brokenRule(by: .decimal128(Decimal128(1 as Int64))) == nil
        && decimal.brokenRule(by: .decimal128(Decimal128(2 as Int64))) != nil)
    #expect(decimal.brokenRule(by: .null) == nil)
  }
}
