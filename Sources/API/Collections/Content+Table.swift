import GatehouseBSON
import GatehouseModel

extension Content {
  /// Reads objects of a class, which says what the cells of a table are. Throws ``APIError/malformedContent(_:)``, and of
  /// columns that the class does not have ``APIError/invalidObjects(_:)``.
  init(
    _ bytes: [UInt8], as type: ContentType, of objectType: ObjectType, in schema: Schema
  ) throws(APIError) {
    guard type == .csv else {
      self = try Content(bytes, as: type)
      return
    }
    var records = LocatedRecords(.csv, of: objectType, in: schema)
    var values: [Value] = []
    var lines: [Int] = []
    var rest = bytes[...]
    while let record = try records.next(in: &rest, isWhole: true) {
      values.append(record.value)
      lines.append(record.line)
    }
    self = .many(values, .lines(lines))
  }
}
