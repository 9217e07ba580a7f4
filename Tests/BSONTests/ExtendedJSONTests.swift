import GatehouseBSON
import Testing

private let id = ObjectID(high: 1, low: 2)
private let uuid = UUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

@Test(
  arguments: [
    (#"{"$date":"1970-01-01T00:00:00.001Z"}"#, .date(Date(milliseconds: 1))),
    (#"{"$date":"1970-01-01T01:00:00.000000001+01:00"}"#, .date(Date(seconds: 0, nanoseconds: 1))),
    (#"{"$date":{"$numberLong":"-1"}}"#, .date(Date(milliseconds: -1))),
    (#"{"$date":{"$numberInt":"-1"}}"#, .date(Date(milliseconds: -1))),
    (#"{"$date":1}"#, .date(Date(milliseconds: 1))),
    (#"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#, .uuid(uuid)),
    (#"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"4"}}"#, .uuid(uuid)),
    (#"{"$binary":{"subType":"4","base64":"AA=="}}"#, .binary(Binary(subtype: 4, bytes: [0]))),
    (#"{"$binary":"AA==","$type":"80"}"#, .binary(Binary(subtype: 0x80, bytes: [0]))),
    (#"{"$type":0,"$binary":"AA=="}"#, .binary(Binary(bytes: [0]))),
    (#"{"$regex":"a","$options":"xi"}"#, .regularExpression(RegularExpression(pattern: "a", options: "ix"))),
    (#"{"$options":"","$regex":"a"}"#, .regularExpression(RegularExpression(pattern: "a", options: ""))),
    (#"{"$scope":{},"$code":"a"}"#, .javaScriptWithScope(code: "a", scope: [:])),
    (#"{"$numberDouble":"1e3"}"#, .double(1000)), (#"{"$numberDouble":"-0"}"#, .double(-0.0)),
    (#"{"$numberLong":"5"}"#, .int64(5)), (#"{"$numberInt":"-5"}"#, .int32(-5)),
    // No type of Extended JSON: a link, an operator, a name of the client's own.
    (#"{"$ref":"Class","$id":1}"#, ["$ref": .string("Class"), "$id": .int32(1)]),
    (
      #"{"$ref":"Class","$id":{"$oid":"000000000000000100000002"}}"#,
      ["$ref": .string("Class"), "$id": .objectID(id)]
    ),
    (#"{"$regex":{"$oid":"000000000000000100000002"}}"#, ["$regex": .objectID(id)]),
    (#"{"$regex":"a","$in":1}"#, ["$regex": .string("a"), "$in": .int32(1)]),
    (#"{"$type":"string"}"#, ["$type": .string("string")]), (#"{"$gt":1}"#, ["$gt": .int32(1)]),
    (#"{"a":1,"$oid":2}"#, ["a": .int32(1), "$oid": .int32(2)]), (#"{"$":1}"#, ["$": .int32(1)]),
  ] as [(String, Value)])
func `relaxed, legacy and no Extended JSON is understood`(text: String, value: Value) throws {
  #expect(try Value(json: text) == value)
}

@Test(arguments: [
  #"{"$oid":"00000000000000010000000"}"#, #"{"$oid":5}"#, #"{"$oid":"000000000000000100000002","a":1}"#,
  #"{"$numberInt":"2147483648"}"#, #"{"$numberInt":5}"#, #"{"$numberInt":"+5"}"#, #"{"$numberInt":" 5"}"#,
  #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberLong":"1.0"}"#, #"{"$numberDouble":"1e400"}"#,
  #"{"$numberDouble":"0x1"}"#, #"{"$numberDouble":"inf"}"#, #"{"$numberDouble":""}"#,
  #"{"$numberDecimal":"x"}"#,
  #"{"$numberDecimal":1}"#, #"{"$date":"2024-01-01"}"#, #"{"$date":1.5}"#, #"{"$date":null}"#,
  #"{"$binary":{"base64":"AA=="}}"#, #"{"$binary":{"base64":"AA=","subType":"00"}}"#,
  #"{"$binary":{"base64":"AA==","subType":"100"}}"#, #"{"$binary":{"base64":"AA==","subType":"+1"}}"#,
  #"{"$binary":{"base64":"AA==","subType":"00","a":1}}"#, #"{"$binary":"AA==","$type":256}"#,
  #"{"$uuid":"00112233445566778899aabbccddeeff"}"#, #"{"$timestamp":{"t":-1,"i":1}}"#,
  #"{"$timestamp":{"t":1}}"#, #"{"$timestamp":{"t":4294967296,"i":1}}"#, #"{"$minKey":2}"#,
  #"{"$maxKey":"1"}"#,
  #"{"$undefined":false}"#, #"{"$code":1}"#, #"{"$code":"a","$scope":1}"#, #"{"$symbol":1}"#,
  #"{"$regularExpression":{"pattern":"a"}}"#, #"{"$dbPointer":{"$ref":"a","$id":1}}"#,
])
func `a malformed type is refused where its document begins`(text: String) {
  #expect(throws: JSONError(.malformedExtendedJSON, at: 9)) {
    try Value(json: #"[1, {"# + "\"a\":" + text + "}]")
  }
  #expect(throws: Never.self) { try Value(json: text, as: .plain) }
}

@Test func `plain JSON leaves dollars alone`() throws {
  #expect(try Value(json: #"{"$numberInt":"5"}"#, as: .plain) == ["$numberInt": .string("5")])
}

@Test(
  arguments: [
    (.int32(5), "5"), (.int64(.max), "9223372036854775807"), (.double(1), "1.0"), (.string("a"), #""a""#),
    (.double(.infinity), #"{"$numberDouble":"Infinity"}"#),
    (.objectID(id), #"{"$oid":"000000000000000100000002"}"#),
    (.uuid(uuid), #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#),
    (.date(Date(seconds: 0, nanoseconds: 1)), #"{"$date":"1970-01-01T00:00:00.000000001Z"}"#),
    (.date(Date(milliseconds: -1)), #"{"$date":{"$numberLong":"-1"}}"#),
    (.decimal128(.zero), #"{"$numberDecimal":"0"}"#),
    (["a": .array([.null, .bool(true)])], #"{"a":[null,true]}"#),
    (.javaScriptWithScope(code: "a", scope: ["b": .int32(1)]), #"{"$code":"a","$scope":{"b":1}}"#),
  ] as [(Value, String)])
func `plain JSON falls back to Extended JSON where JSON lacks the type`(value: Value, text: String) {
  #expect(String(decoding: value.plainJSON, as: UTF8.self) == text)
  if case .int32 = value { return }
  #expect((try? Value(json: value.plainJSON)) == value)
}

@Test func `a date that milliseconds cannot say is written in full`() throws {
  let date = Value.date(Date(seconds: -1, nanoseconds: 1))
  let far = Value.date(Date(seconds: .max))
  #expect(
    String(decoding: date.extendedJSON, as: UTF8.self) == #"{"$date":"1969-12-31T23:59:59.000000001Z"}"#)
  #expect(String(decoding: far.extendedJSON, as: UTF8.self) == #"{"$date":"+292277026596-12-04T15:30:07Z"}"#)
  #expect(try Value(json: date.extendedJSON) == date)
  #expect(try Value(json: far.extendedJSON) == far)
}
