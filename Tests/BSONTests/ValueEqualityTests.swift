import GatehouseBSON
import Testing

private let id = ObjectID(high: 1, low: 2)

/// Two values of each type, each of which equals itself only.
private let values: [Value] = [
  .null, .bool(false), .bool(true), .int32(1), .int32(2), .int64(1), .int64(2), .double(0), .double(-0.0),
  .double(.nan), .decimal128(Decimal128(Int64(1))), .decimal128(Decimal128(Int64(2))), .string("\u{e9}"),
  .string("e\u{301}"), .symbol("a"), .symbol("b"), .javaScript("a"), .javaScript("b"),
  .binary(Binary(subtype: 0, bytes: [1])), .binary(Binary(subtype: 5, bytes: [1])), .objectID(id),
  .date(Date(seconds: 1)), .date(Date(seconds: 2)), .document([:]), .document(["a": .null]),
  .array([]), .array([.null]), .timestamp(Timestamp(time: 1, increment: 1)),
  .timestamp(Timestamp(time: 1, increment: 2)),
  .regularExpression(RegularExpression(pattern: "a", options: "")),
  .regularExpression(RegularExpression(pattern: "b", options: "")), .minKey, .maxKey, .undefined,
  .javaScriptWithScope(code: "a", scope: [:]), .javaScriptWithScope(code: "a", scope: ["a": .null]),
  .dbPointer(namespace: "a", id: id), .dbPointer(namespace: "b", id: id),
]

@Test func `a value equals itself, and nothing of another type or with another bit`() {
  for (place, value) in values.enumerated() {
    #expect(values.indices.filter { values[$0] == value } == [place])
  }
}
