import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseAudit

private let schema = try! Schema(
  notation: Value(
    json: #"""
      [{"name":"All","primaryKey":"_id","properties":{"_id":"objectId","bool":"bool","int":"int","float":"float",
        "double":"double","string":{"type":"string","mapTo":"text"},"data":"data?","date":"date",
        "decimal":"decimal128?","uuid":"uuid","mixed":"mixed","datas":"data[]","decimals":"decimal128{}",
        "mixeds":"mixed[]","dates":"date<>"}}]
      """#))

private func text(_ values: [String: Mixed]) throws -> String {
  let type = try #require(schema["All"])
  let entries = type.properties.map { Mixed.Entry(key: $0.storedName, value: values[$0.storedName] ?? .null) }
  return String(decoding: ObjectWriter(type, in: schema).text(of: .dictionary(entries)).bytes, as: UTF8.self)
}

@Test func `every type is written as Realm's recorder writes it`() throws {
  let id = try #require(ObjectID("507f1f77bcf86cd799439011"))
  let uuid = try #require(UUID("3b241101-e2bb-4255-8caf-4136c566a962"))
  #expect(
    try text([
      "_id": .objectID(id), "bool": .bool(true), "int": .int(-5), "float": .float(1.1), "double": .double(2),
      "text": .string("é\"\n"), "data": .data([1]), "date": .date(Date(seconds: 123)),
      "decimal": .decimal128(Decimal128("1.5")!), "uuid": .uuid(uuid), "mixed": .string("m"),
      "datas": .list([.data([1]), .data([2])]),
      "decimals": .dictionary([.init(key: "a", value: .decimal128(Decimal128("1")!))]),
      "mixeds": .list([.int(1), .data([0]), .string("s"), .null, .list([.int(1)])]),
      "dates": .list([.date(Date(seconds: 0))]),
    ])
      == #"{"_id":"507f1f77bcf86cd799439011","bool":true,"datas":[null,null],"date":"1970-01-01T00:02:03.000Z","#
      + #""dates":["1970-01-01T00:00:00.000Z"],"decimals":{"a":null},"double":2.0,"#
      + #""float":1.100000023841858,"int":-5,"mixed":"m","mixeds":[1,null,"s",null,null],"text":"é\"\n","#
      + #""uuid":"3b241101-e2bb-4255-8caf-4136c566a962"}"#)
}

@Test(arguments: [
  (Mixed.null, #""mixed":null,"#), (.int(1), #""mixed":1,"#), (.double(0.5), #""mixed":0.5,"#),
  (.data([1]), ""), (.decimal128(Decimal128("1")!), ""), (.list([.int(1)]), ""),
  (.dictionary([.init(key: "a", value: .int(1))]), ""),
  (
    .dictionary([.init(key: "$id", value: .string("k")), .init(key: "$ref", value: .string("All"))]),
    #""mixed":"k","#
  ),
])
func `a mixed value is written by its type, or left out`(value: Mixed, expected: String) throws {
  let text = try text(["mixed": value, "dates": .list([]), "datas": .list([]), "mixeds": .list([])])
  #expect(text.contains(#""int":null,"# + expected + #""mixeds":[]"#), "\(text)")
}

@Test func `null is written, but for what has no text otherwise it is null as well`() throws {
  let text = try text([:])
  #expect(text.contains(#""data":null"#) && text.contains(#""decimal":null"#), "\(text)")
}
