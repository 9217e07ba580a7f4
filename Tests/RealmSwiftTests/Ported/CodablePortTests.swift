import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of objects as JSON (`CodableTests`).
struct CodablePortTests {
  enum Grade: Int, PersistableEnum, Codable {
    case low = 1
    case high = 2
  }

  final class Linked: Object, Codable {
    @Persisted var string: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Part: EmbeddedObject, Codable {
    @Persisted var value: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Modern: Object, Codable {
    @Persisted var bool: Bool
    @Persisted var string: String
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var date: Date
    @Persisted var data: Data
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var grade: Grade
    @Persisted var optBool: Bool?
    @Persisted var optString: String?
    @Persisted var optInt: Int?
    @Persisted var optFloat: Float?
    @Persisted var optDate: Date?
    @Persisted var optData: Data?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optUuid: UUID?
    @Persisted var optGrade: Grade?
    @Persisted var object: Linked?
    @Persisted var part: Part?
    @Persisted var bools: List<Bool>
    @Persisted var strings: List<String>
    @Persisted var ints: List<Int>
    @Persisted var dates: List<Date>
    @Persisted var uuids: List<UUID>
    @Persisted var objects: List<Linked>
    @Persisted var optInts: List<Int?>
    @Persisted var optStrings: List<String?>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var optStringSet: MutableSet<String?>
    @Persisted var intMap: Map<String, Int>
    @Persisted var optIntMap: Map<String, Int?>
    @Persisted var objectMap: Map<String, Linked?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Properties without `@Persisted`.
  final class Legacy: Object, Codable {
    var int = RealmProperty<Int?>()
    var bool = RealmProperty<Bool?>()
    var double = RealmProperty<Double?>()
    var ints = List<Int>()
    var optStrings = List<String?>()
    var intSet = MutableSet<Int>()
    var intMap = Map<String, Int>()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Dated: Object, Codable {
    @Persisted var date: Date
    @Persisted var dates: List<Date>
    @Persisted var data: Data

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// A class that says itself how it is written, so that managed objects can be, too.
  final class Written: Object, Codable {
    @Persisted var text: String
    @Persisted var ints: List<Int>

    enum CodingKeys: String, CodingKey {
      case text, ints
    }

    required init() {}

    init(from decoder: any Decoder) throws {
      super.init()
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      ints = try container.decode(List<Int>.self, forKey: .ints)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      try container.encode(ints, forKey: .ints)
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let decoder = JSONDecoder()
  private let encoder = JSONEncoder()

  init() { encoder.outputFormatting = .sortedKeys }

  private func decode<Value: RealmOptionalType & Codable & _RealmSchemaDiscoverable>(
    _ type: Value.Type, _ text: String
  ) throws -> Value? {
    try decoder.decode(RealmProperty<Value?>.self, from: Data(text.utf8)).value
  }

  private func encode<Value: RealmOptionalType & Codable & _RealmSchemaDiscoverable>(_ value: Value?) throws
    -> String
  {
    let property = RealmProperty<Value?>()
    property.value = value
    return try text(property)
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func `truth values are read and written, and nothing is null`() throws {
    #expect(try decode(Bool.self, "true") == true)
    #expect(try decode(Bool.self, "false") == false)
    #expect(try decode(Bool.self, "null") == nil)
    #expect(throws: DecodingError.self) { try decode(Bool.self, "\"x\"") }
    #expect(try encode(true) == "true" && encode(nil as Bool?) == "null")
  }

  @Test func `whole numbers of all sizes are read and written`() throws {
    #expect(try decode(Int.self, "123") == 123 && encode(123) == "123")
    #expect(try decode(Int8.self, "-5") == -5 && encode(-5 as Int8) == "-5")
    #expect(try decode(Int16.self, "300") == 300 && encode(300 as Int16) == "300")
    #expect(try decode(Int32.self, "70000") == 70000 && encode(70000 as Int32) == "70000")
    #expect(try decode(Int64.self, "9007199254740993") == 9_007_199_254_740_993)
    #expect(try encode(9_007_199_254_740_993 as Int64) == "9007199254740993")
    #expect(try decode(Int.self, "null") == nil && encode(nil as Int?) == "null")
    #expect(throws: DecodingError.self) { try decode(Int8.self, "300") }
    #expect(throws: DecodingError.self) { try decode(Int.self, "1.5") }
  }

  @Test func `floating point numbers are read and written`() throws {
    #expect(try decode(Float.self, "2.5") == 2.5 && encode(2.5 as Float) == "2.5")
    #expect(try decode(Double.self, "1e3") == 1000 && encode(0.25) == "0.25")
    #expect(try decode(Double.self, "null") == nil && encode(nil as Double?) == "null")
  }

  @Test func `decimals and identifiers are texts`() throws {
    #expect(try decoder.decode([Decimal128].self, from: Data(#"["3.14"]"#.utf8)) == [Decimal128("3.14")])
    #expect(try text([Decimal128("3.14")]) == #"["3.14"]"#)
    let id = ObjectId("1234567890ab1234567890ab")
    #expect(try decoder.decode([ObjectId].self, from: Data(#"["1234567890ab1234567890ab"]"#.utf8)) == [id])
    #expect(try text([id]) == #"["1234567890ab1234567890ab"]"#)
    #expect(throws: (any Error).self) {
      try decoder.decode([ObjectId].self, from: Data(#"["123"]"#.utf8))
    }
  }

  private static let full =
    #"{"bool":true,"bools":[true,false],"data":"ZGVm","date":2.5,"dates":[2.5,3.5],"decimal":"1.5","double":5.5,"#
    + #""float":2.5,"grade":2,"int":123,"int16":3,"int32":4,"int64":5,"int8":2,"intMap":{"a":1,"b":2},"intSet":[1],"#
    + #""ints":[1,2],"object":{"string":"linked"},"objectId":"1234567890ab1234567890ab","#
    + #""objectMap":{"x":{"string":"in map"}},"objects":[{"string":"in list"}],"optBool":false,"optData":"ZGVm","#
    + #""optDate":4.5,"optDecimal":"2.5","optFloat":1.5,"optGrade":1,"optInt":7,"optIntMap":{"n":null,"o":3},"#
    + #""optInts":[1,null],"optObjectId":"1234567890ab1234567890ac","optString":"def","optStringSet":["s"],"#
    + #""optStrings":[null,"q"],"optUuid":"00000000-0000-0000-0000-000000000001","part":{"value":9},"#
    + #""string":"abc","strings":["a","b"],"uuid":"00000000-0000-0000-0000-000000000002","#
    + #""uuids":["00000000-0000-0000-0000-000000000003"]}"#

  @Test func `an object with properties of all types is read and written`() throws {
    let object = try decoder.decode(Modern.self, from: Data(Self.full.utf8))
    #expect(object.bool && object.string == "abc" && object.int == 123 && object.int8 == 2)
    #expect(object.int16 == 3 && object.int32 == 4 && object.int64 == 5)
    #expect(object.float == 2.5 && object.double == 5.5)
    #expect(object.date == Date(timeIntervalSinceReferenceDate: 2.5) && object.data == Data("def".utf8))
    #expect(object.decimal == Decimal128("1.5") && object.grade == .high && object.optGrade == .low)
    #expect(object.objectId == ObjectId("1234567890ab1234567890ab"))
    #expect(object.uuid == UUID(uuidString: "00000000-0000-0000-0000-000000000002"))
    #expect(object.optBool == false && object.optInt == 7 && object.optFloat == 1.5)
    #expect(object.optDecimal == Decimal128("2.5") && object.optData == Data("def".utf8))
    #expect(object.object?.string == "linked" && object.part?.value == 9)
    #expect(Array(object.bools) == [true, false] && Array(object.ints) == [1, 2])
    #expect(object.dates.map(\.timeIntervalSinceReferenceDate) == [2.5, 3.5])
    #expect(Array(object.optInts) == [1, nil] && Array(object.optStrings) == [nil, "q"])
    #expect(object.objects.map(\.string) == ["in list"] && object.objectMap["x"]??.string == "in map")
    #expect(object.intSet.contains(1) && object.optStringSet.contains("s"))
    #expect(object.intMap["b"] == 2 && object.optIntMap["n"] == .some(nil) && object.optIntMap["o"] == 3)
    #expect(try text(object) == Self.full)
    // The object can be added, with all that it has.
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Modern.self, Linked.self, Part.self]))
    try realm.write { realm.add(object) }
    #expect(object.optIntMap["n"] == .some(nil) && object.objects.first?.string == "in list")
    #expect(try text(object.objectMap.keys) == #"["x"]"#)
  }

  @Test func `optional properties may be null`() throws {
    var json = try #require(try JSONSerialization.jsonObject(with: Data(Self.full.utf8)) as? [String: Any])
    for name in json.keys
    where name.hasPrefix("opt") && !(json[name] is [Any]) && !(json[name] is [String: Any]) {
      json[name] = NSNull()
    }
    for name in ["object", "part"] { json[name] = NSNull() }
    let object = try decoder.decode(Modern.self, from: try JSONSerialization.data(withJSONObject: json))
    #expect(object.optBool == nil && object.optString == nil && object.optInt == nil && object.optDate == nil)
    #expect(object.optUuid == nil && object.optObjectId == nil && object.optDecimal == nil)
    #expect(object.optGrade == nil && object.object == nil && object.part == nil)
    let text = try text(object)
    #expect(text.contains(#""optInt":null"#) && text.contains(#""object":null"#))
    let again = try decoder.decode(Modern.self, from: Data(text.utf8))
    #expect(again.optInt == nil && again.int == 123)
  }

  @Test func `optional properties may be missing, and others may not`() throws {
    var json = try #require(try JSONSerialization.jsonObject(with: Data(Self.full.utf8)) as? [String: Any])
    let optional = json.keys.filter {
      $0.hasPrefix("opt") && !["optInts", "optStrings", "optIntMap", "optStringSet"].contains($0)
    }
    for name in optional + ["object", "part"] { json[name] = nil }
    let object = try decoder.decode(Modern.self, from: try JSONSerialization.data(withJSONObject: json))
    #expect(object.optBool == nil && object.optString == nil && object.object == nil && object.part == nil)
    for name in ["int", "string", "ints", "intMap", "grade"] {
      var lacking = json
      lacking[name] = nil
      let data = try JSONSerialization.data(withJSONObject: lacking)
      let error = #expect(throws: DecodingError.self, "\(name)") {
        try decoder.decode(Modern.self, from: data)
      }
      guard case .keyNotFound(let key, _)? = error else {
        Issue.record("\(name): \(String(describing: error))")
        continue
      }
      #expect(key.stringValue == name)
    }
  }

  @Test func `values of other types are refused`() throws {
    for (name, value) in [
      ("int", "x"), ("string", 7), ("ints", ["x"]), ("grade", 9), ("uuid", "x"), ("objectId", "x"),
      ("intMap", [1]), ("object", 3), ("int8", 300),
    ] as [(String, Any)] {
      var json = try #require(try JSONSerialization.jsonObject(with: Data(Self.full.utf8)) as? [String: Any])
      json[name] = value
      let data = try JSONSerialization.data(withJSONObject: json)
      #expect(throws: (any Error).self, "\(name)") { try decoder.decode(Modern.self, from: data) }
    }
  }

  @Test func `properties without marks are read and written`() throws {
    let json =
      #"{"bool":true,"double":null,"int":5,"intMap":{"a":1},"intSet":[3],"ints":[1,2],"optStrings":["a",null]}"#
    let object = try decoder.decode(Legacy.self, from: Data(json.utf8))
    #expect(object.int.value == 5 && object.bool.value == true && object.double.value == nil)
    #expect(Array(object.ints) == [1, 2] && Array(object.optStrings) == ["a", nil])
    #expect(object.intSet.contains(3) && object.intMap["a"] == 1)
    #expect(try text(object) == json)
  }

  @Test func `dates and data are as the coder's strategies say`() throws {
    decoder.dateDecodingStrategy = .iso8601
    encoder.dateEncodingStrategy = .iso8601
    decoder.dataDecodingStrategy = .custom { decoder in
      Data(try decoder.singleValueContainer().decode(String.self).reversed().map { String($0) }.joined().utf8)
    }
    encoder.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(String(decoding: data.reversed(), as: UTF8.self))
    }
    let json = #"{"data":"cba","date":"2001-01-01T00:00:02Z","dates":["2001-01-01T00:00:03Z"]}"#
    let object = try decoder.decode(Dated.self, from: Data(json.utf8))
    #expect(object.date == Date(timeIntervalSinceReferenceDate: 2) && object.data == Data("abc".utf8))
    #expect(object.dates.first == Date(timeIntervalSinceReferenceDate: 3))
    #expect(try text(object) == json)
  }

  @Test func `collections of a Realm are written, and objects whose class says how`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Written.self, AllTypes.self]))
    let object = Written(value: ["a", [3, 1]] as [Any])
    let all = AllTypes(
      value: ["mapInt": ["k": 1], "setString": ["s"], "arrayOptInt": [1, NSNull()]] as [String: Any])
    try realm.write { realm.add([object, all] as [Object]) }
    #expect(try text(object) == #"{"ints":[3,1],"text":"a"}"#)
    #expect(try text(realm.objects(Written.self)) == #"[{"ints":[3,1],"text":"a"}]"#)
    #expect(try text(object.ints.sorted()) == "[1,3]")
    #expect(try text(AnyRealmCollection(object.ints)) == "[3,1]")
    #expect(try text(all.mapInt) == #"{"k":1}"# && text(all.setString) == #"["s"]"#)
    #expect(try text(all.arrayOptInt) == "[1,null]")
    #expect(try text(object.freeze()) == #"{"ints":[3,1],"text":"a"}"#)
    let copy = try decoder.decode([Written].self, from: encoder.encode(realm.objects(Written.self)))
    #expect(copy.first?.text == "a" && copy.first?.realm == nil)
  }
}
