import Foundation
import Testing

@testable import RealmSwift

@Suite struct AnyBSONTests {
  static let date = Date(timeIntervalSince1970: 1_500_000_000.25)
  static let all: [AnyBSON] = [
    .double(1.5), .string("a"), ["a": 1, "b": nil], [1, "b", nil], .binary(Data([1, 2])),
    .objectId(ObjectId("507f1f77bcf86cd799439011")), true, .datetime(date),
    .regex(.stored(pattern: "^a", options: "xi")), .int32(7),
    .timestamp(Date(timeIntervalSince1970: 5)), 8, .decimal128(1.5), .uuid(UUID()), .minKey, .maxKey, .null,
  ]

  @Test func `literals have their types`() {
    #expect(1 as AnyBSON == .int64(1) && 1.5 as AnyBSON == .double(1.5) && "a" as AnyBSON == .string("a"))
    #expect(false as AnyBSON == .bool(false) && ["a": 1] as AnyBSON == .document(["a": .int64(1)]))
    #expect([1, nil] as AnyBSON == .array([.int64(1), nil]))
    #expect(AnyBSON(5) == .int64(5))
  }

  @Test func `values are wrapped and unwrapped by their types`() {
    #expect(AnyBSON(Int32(5)) == .int32(5) && AnyBSON("a" as String) == .string("a"))
    #expect(AnyBSON(MaxKey()) == .maxKey && AnyBSON(MinKey()) == .minKey)
    #expect(AnyBSON(Self.date) == .datetime(Self.date) && AnyBSON(true as Bool) == .bool(true))
    #expect(AnyBSON(["a": .int64(1)] as Document) == ["a": 1])
    #expect((.int32(5) as AnyBSON).value() == 5 as Int32 && (.int32(5) as AnyBSON).value() == 5 as Int)
    #expect((.string("a") as AnyBSON).value() == nil as Int?)
    #expect((.maxKey as AnyBSON).value() == MaxKey())
  }

  @Test func `a value is of one type only`() {
    for value in Self.all {
      let contents: [Any?] = [
        value.int32Value, value.regexValue, value.int64Value, value.objectIdValue, value.dateValue,
        value.arrayValue, value.stringValue, value.documentValue, value.boolValue, value.binaryValue,
        value.doubleValue, value.decimal128Value, value.timestampValue, value.uuidValue,
      ]
      let isBare = value == .null || value == .minKey || value == .maxKey
      #expect(contents.count { $0 != nil } == (isBare ? 0 : 1), "\(value)")
      #expect(value.isNull == (value == .null))
    }
    #expect(Set(Self.all).count == Self.all.count)
  }

  @Test(
    arguments: [
      (.int64(5), 5), (.int32(5), 5), (.double(5), 5), (.decimal128(5), 5), (.decimal128("5.00"), 5),
      (.double(5.5), nil), (.decimal128(5.5), nil), (.double(.nan), nil), (.string("5"), nil),
    ] as [(AnyBSON, Int?)])
  func `numbers change their type where nothing is lost`(value: AnyBSON, int: Int?) {
    #expect(value.asInt() == int && value.asInt64() == int.map { Int64($0) })
    #expect(value.asInt32() == int.map { Int32($0) })
    if let int { #expect(value.asDouble() == Double(int) && value.asDecimal128() == Decimal128(number: int)) }
  }

  @Test func `what does not fit is nil`() {
    #expect(AnyBSON.int64(.max).asInt32() == nil && AnyBSON.string("1").asDouble() == nil)
    #expect(AnyBSON.decimal128("0.1234567890123456789").asDouble() == nil)
    #expect(AnyBSON.bool(true).asDecimal128() == nil)
  }
}
