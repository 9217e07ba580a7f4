/// The byte that says the type of an element. Source: <https://bsonspec.org/spec.html>, `element`.
@usableFromInline
enum BSONType: UInt8 {
  case double = 0x01
  case string = 0x02
  case document = 0x03
  case array = 0x04
  case binary = 0x05
  case undefined = 0x06
  case objectID = 0x07
  case bool = 0x08
  case date = 0x09
  case null = 0x0A
  case regularExpression = 0x0B
  case dbPointer = 0x0C
  case javaScript = 0x0D
  case symbol = 0x0E
  case javaScriptWithScope = 0x0F
  case int32 = 0x10
  case timestamp = 0x11
  case int64 = 0x12
  case decimal128 = 0x13
  case maxKey = 0x7F
  case minKey = 0xFF
}
