import GatehouseBSON
import GatehouseDocuments
import Testing

struct ValueOrderTests {
  /// A value of each type, in the order of the manual's page "Comparison/Sort Order".
  static let ascending: [Value] = [
    .minKey, .undefined, .null, .int32(1), .string("a"), ["a": .int32(1)], .array([.int32(1)]),
    .binary(Binary(bytes: [1])), .objectID(ObjectID(high: 1, low: 1)), .bool(false), .bool(true),
    .date(Date(seconds: 0)), .timestamp(Timestamp(time: 1, increment: 1)),
    .regularExpression(RegularExpression(pattern: "a", options: "")), .maxKey,
  ]

  @Test func `types come in their order`() {
    for (left, lower) in Self.ascending.enumerated() {
      for (right, upper) in Self.ascending.enumerated() {
        #expect(ValueOrder.compare(lower, upper).signum() == (left - right).signum())
      }
    }
  }

  @Test(arguments: [
    (#"1"#, #"1.0"#, 0), (#"{"$numberLong":"9007199254740993"}"#, #"9007199254740992.0"#, 1),
    (#"{"$numberDecimal":"0.1"}"#, #"0.1"#, -1), (#"{"$numberDecimal":"0.5"}"#, #"0.5"#, 0),
    (#"{"$numberDouble":"NaN"}"#, #"{"$numberDouble":"-Infinity"}"#, -1), (#"-0.0"#, #"0"#, 0),
    (#"{"$numberDouble":"Infinity"}"#, #"{"$numberLong":"9223372036854775807"}"#, 1),
    (#"{"$numberDecimal":"NaN"}"#, #"{"$numberDouble":"NaN"}"#, 0),
    // Decimals that are beyond all doubles.
    (#"{"$numberDecimal":"9E6144"}"#, #"{"$numberDouble":"Infinity"}"#, -1),
    (#"{"$numberDecimal":"-9E6144"}"#, #"{"$numberDouble":"-Infinity"}"#, 1),
    (#"{"$numberDecimal":"9E6144"}"#, #"1e308"#, 1),
    (#"{"$numberDecimal":"Infinity"}"#, #"{"$numberDouble":"Infinity"}"#, 0),
    (#"{"$numberDecimal":"-Infinity"}"#, #"{"$numberDouble":"-Infinity"}"#, 0),
    (#"{"$numberDecimal":"NaN"}"#, #"{"$numberDouble":"-Infinity"}"#, -1),
    (#"{"$numberDouble":"NaN"}"#, #"{"$numberDecimal":"-Infinity"}"#, -1),
    (#"{"$numberDecimal":"1E-6176"}"#, #"0.0"#, 1),
    (#"{"a":1,"b":2}"#, #"{"b":1}"#, -1), (#"{"a":1}"#, #"{"a":1,"b":1}"#, -1),
    (#"{"a":"x"}"#, #"{"b":1}"#, 1),
    (#"[1,2]"#, #"[1,3]"#, -1), (#"[1,2]"#, #"[1]"#, 1), (#""a""#, #""B""#, 1), (#""é""#, #""z""#, 1),
    (#"{"$binary":{"base64":"//8=","subType":"00"}}"#, #"{"$binary":{"base64":"AAAA","subType":"00"}}"#, -1),
  ])
  func `values of a type are compared by value`(left: String, right: String, order: Int) throws {
    #expect(try ValueOrder.compare(value(left), value(right)).signum() == order)
    #expect(try ValueOrder.compare(value(right), value(left)).signum() == -order)
  }
}
