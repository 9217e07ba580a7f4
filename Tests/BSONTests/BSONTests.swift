import GatehouseBSON
import Testing

private func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

// From the BSON corpus, <https://github.com/mongodb/specifications/tree/master/source/bson-corpus/tests>.
@Test(arguments: [
  ("0500000000", "{}"),
  ("10000000016400000000000000F03F00", #"{"d":{"$numberDouble":"1.0"}}"#),
  ("100000000164000000000000000080 00", #"{"d":{"$numberDouble":"-0.0"}}"#),
  ("10000000016400000000000000F07F00", #"{"d":{"$numberDouble":"Infinity"}}"#),
  ("10000000016400000000000000F0FF00", #"{"d":{"$numberDouble":"-Infinity"}}"#),
  ("10000000016400000000000000F87F00", #"{"d":{"$numberDouble":"NaN"}}"#),
  ("0D000000026100010000000000", #"{"a":""}"#),
  ("190000000261000D000000E29886E29886E29886E298860000", #"{"a":"☆☆☆☆"}"#),
  ("190000000261000D0000006162006261620062616261620000", #"{"a":"ab\u0000bab\u0000babab"}"#),
  ("160000000378000E0000000261000200000062000000", #"{"x":{"a":"b"}}"#),
  ("140000000461000C0000001030000A0000000000", #"{"a":[{"$numberInt":"10"}]}"#),
  ("0D000000057800000000000000", #"{"x":{"$binary":{"base64":"","subType":"00"}}}"#),
  (
    "1D000000057800100000000473FFD26444B34C6990E8E7D1DFC035D400",
    #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}}}"#
  ),
  ("13000000057800060000000202000000FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"02"}}}"#),
  ("0F0000000578000200000080FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"80"}}}"#),
  ("0800000006610000", #"{"a":{"$undefined":true}}"#),
  ("1400000007610056E1FC72E0C917E9C471416100", #"{"a":{"$oid":"56e1fc72e0c917e9c4714161"}}"#),
  ("090000000862000100", #"{"b":true}"#), ("090000000862000000", #"{"b":false}"#),
  ("10000000096100C5D8D6CC3B01000000", #"{"a":{"$date":{"$numberLong":"1356351330501"}}}"#),
  ("10000000096100C33CE7B9BDFFFFFF00", #"{"a":{"$date":{"$numberLong":"-284643869501"}}}"#),
  ("080000000A610000", #"{"a":null}"#),
  ("100000000B610061626300696D780000", #"{"a":{"$regularExpression":{"pattern":"abc","options":"imx"}}}"#),
  (
    "1A0000000C610002000000620056E1FC72E0C917E9C471416100",
    #"{"a":{"$dbPointer":{"$ref":"b","$id":{"$oid":"56e1fc72e0c917e9c4714161"}}}}"#
  ),
  ("0E0000000D61000200000062000 0", #"{"a":{"$code":"b"}}"#),
  ("0E0000000E610002000000620000", #"{"a":{"$symbol":"b"}}"#),
  (
    "210000000F6100190000000500000061626364000C0000001078000100000000 00",
    #"{"a":{"$code":"abcd","$scope":{"x":{"$numberInt":"1"}}}}"#
  ),
  ("0C0000001069000000008000", #"{"i":{"$numberInt":"-2147483648"}}"#),
  ("100000001161002A00000015CD5B0700", #"{"a":{"$timestamp":{"t":123456789,"i":42}}}"#),
  ("10000000116100FFFFFFFFFFFFFFFF00", #"{"a":{"$timestamp":{"t":4294967295,"i":4294967295}}}"#),
  ("10000000126100FFFFFFFFFFFFFF7F00", #"{"a":{"$numberLong":"9223372036854775807"}}"#),
  (
    "18000000136400F2AF967ED05C82DE3297FF6FDE3CF02F00",
    #"{"d":{"$numberDecimal":"1.234567890123456789012345678901234E-7"}}"#
  ),
  ("08000000FF610000", #"{"a":{"$minKey":1}}"#), ("080000007F610000", #"{"a":{"$maxKey":1}}"#),
])
func `bytes and canonical text of every type`(hexadecimal: String, text: String) throws {
  let document = try Document(bson: bytes(hexadecimal))
  #expect(String(decoding: Value.document(document).extendedJSON, as: UTF8.self) == text)
  #expect(try Value(json: text) == .document(document))
  #expect(try document.bson() == bytes(hexadecimal))
}

@Test(arguments: [
  ("", BSONError.Rule.unexpectedEnd, 0), ("0500", .unexpectedEnd, 2), ("0400000000", .malformedLength, 0),
  ("0600000000", .malformedLength, 0), ("FFFFFFFF00", .malformedLength, 0),
  ("050000000000", .trailingBytes, 5),
  ("0500000001", .missingTerminator, 4), ("0800000014610000", .unknownType, 4),
  ("080000000A616161", .missingTerminator, 7),
  ("090000000862000200", .malformedBoolean, 7), ("0A00000010610000000000", .unexpectedEnd, 9),
  ("0B0000001061000000 0000", .unexpectedEnd, 10), ("0D000000026100000000000000", .malformedLength, 7),
  ("0D000000026100FFFFFFFF0000", .malformedLength, 7), ("0D000000026100020000000000", .malformedLength, 7),
  ("0D000000026100010000004100", .missingTerminator, 11),
  ("0E00000002610002000000E90000", .malformedUTF8, 11),
  ("090000000AE9000000", .malformedUTF8, 5), ("0D000000057800FFFFFFFF0000", .malformedLength, 7),
  ("0D000000057800010000000000", .malformedLength, 7),
  ("13000000057800060000000203000000FFFF00", .malformedLength, 12),
  ("0D0000000361000600000000 00", .malformedLength, 7),
  ("0B0000000A61000A610000", .duplicateKey, 8),
  ("170000000F61000F000000010000000005000000000000", .malformedLength, 7),
  ("160000000F61000D000000010000000005000000 0000", .malformedLength, 7),
  ("0E0000000B61006162630069 6D00", .missingTerminator, 13),
])
func `malformed bytes are refused with the rule and the offset`(
  hexadecimal: String, rule: BSONError.Rule, offset: Int
) {
  #expect(throws: BSONError(rule, at: offset)) { try Document(bson: bytes(hexadecimal)) }
}

@Test func `names in an array and the order of options are not taken as they come`() throws {
  let array = bytes("140000000461000C0000001062000A0000000000")
  #expect(try Document(bson: array) == ["a": .array([.int32(10)])])
  let expression = bytes("100000000B61006162630078 6D690000")
  #expect(
    try Document(bson: expression)
      == ["a": .regularExpression(RegularExpression(pattern: "abc", options: "imx"))])
}

@Test func `depth and size are bounded`() throws {
  var nested = Value.int32(1)
  for _ in 0..<5 { nested = ["a": nested] }
  guard case .document(let document) = nested else { return }
  let bytes = try document.bson()
  #expect(try Document(bson: bytes, limits: Limits(depth: 5, size: bytes.count)) == document)
  #expect(throws: BSONError(.tooDeep, at: 28)) { try Document(bson: bytes, limits: Limits(depth: 4)) }
  #expect(throws: BSONError(.tooLarge, at: 10)) { try Document(bson: bytes, limits: Limits(size: 10)) }
}

@Test func `a name that BSON cannot say is refused`() {
  #expect(throws: BSONError(.zeroByteInName, at: 5)) { try (["a\0b": .null] as Document).bson() }
  let pattern = RegularExpression(pattern: "a\0", options: "")
  #expect(throws: BSONError(.zeroByteInName, at: 7)) {
    try (["a": .regularExpression(pattern)] as Document).bson()
  }
}
