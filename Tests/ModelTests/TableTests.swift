import GatehouseBSON
import GatehouseModel
import Testing

/// Rows of a table as objects of a class.
@Suite struct TableTests {
  private static let schema: Schema = {
    func property(_ name: String, _ type: ElementType, optional: Bool = false, _ value: Value? = nil)
      -> Property
    {
      Property(name: name, type: .one(type, optional: optional), defaultValue: value)
    }
    return Schema([
      ObjectType(
        name: "Item",
        properties: [
          property("_id", .int), property("name", .string), property("nick", .string, optional: true),
          property("rank", .int, .int64(3)), property("price", .decimal128, optional: true),
          property("size", .double, optional: true), property("isNew", .bool, optional: true),
          property("at", .date, optional: true), property("bytes", .data, optional: true),
          property("oid", .objectID, optional: true), property("uuid", .uuid, optional: true),
          property("any", .mixed, optional: true), property("home", .object("Place"), optional: true),
          property("owner", .object("Owner"), optional: true),
          property("note", .object("Note"), optional: true),
          Property(name: "tags", type: .list(.string, optional: false)),
          Property(name: "counts", type: .map(.int, optional: false)),
          Property(name: "items", type: .linkingObjects(objectType: "Item", property: "owner")),
        ], primaryKey: "_id"),
      ObjectType(
        name: "Place", kind: .embedded,
        properties: [
          property("city", .string, optional: true), property("area", .object("Area"), optional: true),
        ]),
      ObjectType(name: "Area", kind: .embedded, properties: [property("code", .int, optional: true)]),
      ObjectType(name: "Owner", properties: [property("code", .string)], primaryKey: "code"),
      ObjectType(name: "Note", properties: [property("text", .string, optional: true)]),
      ObjectType.schemaless("Free"),
    ])
  }()

  private func read(
    _ text: String, of name: String = "Item", mapping: MemberMapping = MemberMapping()
  ) throws -> [String] {
    try values(text, of: name, mapping: mapping).map { String(decoding: $0.plainJSON, as: UTF8.self) }
  }

  private func values(
    _ text: String, of name: String = "Item", mapping: MemberMapping = MemberMapping()
  ) throws -> [Value] {
    let objectType = try #require(Self.schema[name])
    var scanner = RecordScanner(.csv)
    var reader = RecordReader(.csv, of: objectType, in: Self.schema, mapping: mapping)
    var rest = Array(text.utf8)[...]
    var values: [Value] = []
    while let extent = try scanner.next(in: rest, isWhole: true) {
      if let value = try reader.value(of: rest[extent.content]) {
        values.append(value)
      }
      rest = rest[extent.next...]
    }
    return values
  }

  @Test(arguments: [
    (
      "_id,name,a.b,n,a.c.d", "ObjectId(64b00000000000000000000a),\"x, y\",3,5,ObjectId(x)",
      #"{"_id":{"$oid":"64b00000000000000000000a"},"name":"x, y","a":{"b":3,"c":{"d":"ObjectId(x)"}},"n":5}"#
    ),
    ("_id,a.b,a.c", "1,,", #"{"_id":1,"a":null}"#),
  ])
  func `columns of mongoexport become documents`(header: String, row: String, value: String) throws {
    #expect(try read("\(header)\n\(row)\n", of: "Free") == [value])
  }

  // Each column that was compared with all before it would take minutes.
  @Test func `a table has as many columns as a record has fields`() throws {
    let names = (0..<CSVRecord.mostFields).map { $0.isMultiple(of: 2) ? "a\($0)" : "b.c\($0)" }
    let cells = names.indices.map(String.init)
    let text = "\(names.joined(separator: ","))\n\(cells.joined(separator: ","))\n"
    guard case .document(let document)? = try values(text, of: "Free").first,
      case .document(let inner)? = document["b"]
    else {
      Issue.record("no document")
      return
    }
    #expect(document.elements.count == 50_001)
    #expect(inner.elements.last == .init(key: "c99999", value: .int32(99_999)))
    #expect(inner.elements.count == 50_000)
  }

  @Test func `an ObjectID is read as mongoexport writes it`() throws {
    #expect(
      try values("oid,any\nObjectId(64b00000000000000000000a),ObjectId(64b00000000000000000000b)\n") == [
        [
          "oid": .objectID(try #require(ObjectID("64b00000000000000000000a"))),
          "any": .objectID(try #require(ObjectID("64b00000000000000000000b"))),
        ]
      ])
  }

  @Test(arguments: [
    "a..b", "a.", ".a", "_fields.a", "a,a.b", "a.b,a", String(repeating: "a.", count: 100) + "a",
  ])
  func `a column that leads to no field is told`(header: String) throws {
    #expect(throws: RecordError.self) { try read("\(header)\n", of: "Free") }
  }

  @Test(
    arguments: [
      ("_id,name", "1,a", #"{"_id":1,"name":"a"}"#),
      ("name,_id", "\" x \", 7 ", #"{"name":" x ","_id":7}"#),
      // Nothing is null where that may be, the empty text where only that may be, and otherwise nothing.
      ("_id,name,nick,rank", "1,,,", #"{"_id":1,"name":"","nick":null}"#),
      ("_id,name,nick,rank", "1,\"\",\"\",\"\"", #"{"_id":1,"name":"","nick":""}"#),
      ("size,isNew", "1.5,TRUE", #"{"size":1.5,"isNew":true}"#),
      ("size,isNew", "-1e3,false", #"{"size":-1000.0,"isNew":false}"#),
      ("size", "NaN", #"{"size":{"$numberDouble":"NaN"}}"#),
      // A cell that does not fit stays text, for whoever checks the object.
      ("_id,size,isNew", "1.5,0x1p3,yes", #"{"_id":1.5,"size":"0x1p3","isNew":"yes"}"#),
      ("_id", "x", #"{"_id":"x"}"#),
      ("price,at", "1.50,2024-01-02T03:04:05Z", #"{"price":"1.50","at":"2024-01-02T03:04:05Z"}"#),
      ("any", "5", #"{"any":5}"#), ("any", "text", #"{"any":"text"}"#),
      ("any", "\"\"\"5\"\"\"", #"{"any":"5"}"#),
      ("any", "\"{\"\"a\"\":[1,2]}\"", #"{"any":{"a":[1,2]}}"#), ("any", "\"\"", #"{"any":null}"#),
      ("tags,counts", "\"[\"\"a\"\",\"\"b\"\"]\",\"{\"\"k\"\":1}\"", #"{"tags":["a","b"],"counts":{"k":1}}"#),
      ("_id,tags", "1,", #"{"_id":1}"#), ("tags", "no", #"{"tags":"no"}"#),
      ("home.city,home.area.code", "x,5", #"{"home":{"city":"x","area":{"code":5}}}"#),
      ("home.area.code,_id,home.city", ",1,x", #"{"home":{"area":null,"city":"x"},"_id":1}"#),
      ("home.city,home.area.code", ",", #"{"home":null}"#),
      ("home.city,_id", "\"\",1", #"{"home":{"city":""},"_id":1}"#),
      ("home", "\"{\"\"city\"\":\"\"x\"\"}\"", #"{"home":{"city":"x"}}"#),
      ("home,_id", ",1", #"{"home":null,"_id":1}"#),
      ("owner", "DE", #"{"owner":"DE"}"#), ("owner.code,_id", ",1", #"{"owner":null,"_id":1}"#),
      ("note", "12", #"{"note":12}"#), ("note._key,_id", "12,1", #"{"note":12,"_id":1}"#),
    ])
  func `a row is an object`(header: String, row: String, object: String) throws {
    #expect(try read(header + "\r\n" + row + "\r\n") == [object])
  }

  @Test func `rows with nothing in them are none, unless there is one column`() throws {
    #expect(try read("_id,nick\n\n1,\n\n\n") == [#"{"_id":1,"nick":null}"#])
    #expect(try read("text\n\na\n", of: "Note") == [#"{"text":null}"#, #"{"text":"a"}"#])
    #expect(try read("_key,text\n5,a\n", of: "Note") == [#"{"_key":5,"text":"a"}"#])
    #expect(try read("").isEmpty)
  }

  @Test(
    arguments: [
      ("_id,nam", "/nam", .unknownProperty), ("", "/", .unknownProperty),
      ("_id,_id", "/_id", .repeatedProperty),
      ("home,home.city", "/home/city", .repeatedProperty), ("home.city,home", "/home", .repeatedProperty),
      ("home.city,home.city", "/home/city", .repeatedProperty), ("name.x", "/name/x", .noPath),
      ("owner.name", "/owner/name", .noPath), ("home.x", "/home/x", .unknownProperty),
      ("items", "/items", .readOnly), ("_key", "/_key", .unknownProperty),
      ("home.", "/home/", .unknownProperty),
      ("a/b", "/a~1b", .unknownProperty),
    ] as [(String, String, ValidationRule)])
  func `a column is a property`(header: String, pointer: String, rule: ValidationRule) {
    let error = RecordError.invalid(ValidationError([ValidationProblem(pointer: pointer, rule)]))
    #expect(throws: error) { try read(header + "\n1,2\n") }
  }

  @Test func `columns have other names, or are left out`() throws {
    var mapping = MemberMapping(names: ["Id": "_id", "City": "home.city"], ignored: ["_error"])
    #expect(
      try read("Id,City,_error\n1,x,y\n", mapping: mapping) == [#"{"_id":1,"home":{"city":"x"}}"#])
    #expect(throws: RecordError.self) { try read("Id,other\n1,2\n", mapping: mapping) }
    mapping.ignoresUnknown = true
    #expect(try read("Id,other,home.other\n1,2,3\n", mapping: mapping) == [#"{"_id":1}"#])
  }

  @Test func `members have other names, or are left out, in embedded objects as well`() throws {
    let objectType = try #require(Self.schema["Item"])
    let mapping = MemberMapping(names: ["Id": "_id"], ignoresUnknown: true)
    var reader = RecordReader(.ndjson, of: objectType, in: Self.schema, mapping: mapping)
    let line = #"{"Id":1,"x":2,"any":{"x":1},"items":[],"home":{"city":"c","y":3,"area":{"code":1,"z":2}}}"#
    #expect(
      try reader.value(of: Array(line.utf8)[...]).map { String(decoding: $0.plainJSON, as: UTF8.self) }
        == #"{"_id":1,"any":{"x":1},"home":{"city":"c","area":{"code":1}}}"#)
  }

  @Test func `a row has as many cells as the header`() {
    #expect(throws: RecordError.csv(CSVError(.fieldCount(expected: 2, found: 1), at: 1))) {
      try read("_id,name\n1\n")
    }
  }
}
