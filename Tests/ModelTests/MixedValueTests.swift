import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct MixedValueTests {
  @Test(
    arguments: [
      (.null, .null), (.bool(true), .bool(true)), (.int(5), .int64(5)), (.double(.nan), .double(.nan)),
      (.decimal128(.nan), .decimal128(.nan)), (.string("é"), .string("é")),
      (.data([1, 2]), .binary(Binary(bytes: [1, 2]))), (.date(Date(seconds: 1)), .date(Date(seconds: 1))),
      (.objectID(AllTypesSchema.objectID), .objectID(AllTypesSchema.objectID)),
      (.uuid(AllTypesSchema.uuid), .uuid(AllTypesSchema.uuid)),
      (.list([.int(1), .list([])]), .array([.int64(1), .array([])])),
      (
        .dictionary([.init(key: "a", value: .null), .init(key: "b", value: .dictionary([]))]),
        ["a": .null, "b": [:]]
      ),
    ] as [(Mixed, Value)])
  func `a mixed value is a BSON value and back`(mixed: Mixed, value: Value) {
    #expect(mixed.value { _ in .null } == value)
    #expect(Mixed(value) == mixed)
  }

  @Test(
    arguments: [
      (.int32(-1), .int(-1)),
      (.binary(Binary(subtype: 5, bytes: [1])), .data([1])),
      (
        ["b": .int32(1), "B": .int32(2)],
        .dictionary([.init(key: "B", value: .int(2)), .init(key: "b", value: .int(1))])
      ),
      (.document(Document([.init(key: "a", value: .null), .init(key: "a", value: .null)])), nil),
      (.minKey, nil), (.undefined, nil), (.symbol("x"), nil), (.array([.int32(1), .maxKey]), nil),
      (["a": .timestamp(Timestamp(time: 1, increment: 1))], nil),
    ] as [(Value, Mixed?)])
  func `other BSON values are near to one, or to none`(value: Value, mixed: Mixed?) {
    #expect(Mixed(value) == mixed)
  }

  @Test func `a float is widened, a link is the caller's`() {
    #expect(Mixed.float(0.1).value { _ in .null } == .double(Double(Float(0.1))))
    let link = ObjectLink(objectType: "Person", key: ObjectKey(3))
    let value = Mixed.list([.link(link)]).value { target in
      Mixed.reference(to: target.objectType, id: .int64(target.key.value * 10))
    }
    #expect(value == .array([["$ref": .string("Person"), "$id": .int64(30)]]))
  }

  @Test func `equality is of type and bits`() {
    #expect(Mixed.int(1) != .double(1))
    #expect(Mixed.double(0) != .double(-0.0))
    #expect(Mixed.double(.nan) == .double(.nan))
    #expect(Mixed.string("\u{E9}") != .string("e\u{301}"))
    let keys = ["\u{E9}", "e\u{301}"].map { Mixed.dictionary([.init(key: $0, value: .null)]) }
    #expect(keys[0] != keys[1])
    #expect(Set([.string("a"), .string("a"), .int(1), .float(1), .double(1)] as [Mixed]).count == 4)
  }
}
