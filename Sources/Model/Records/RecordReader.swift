public import GatehouseBSON

/// Makes the values of objects of records, one after the other, in any of the formats.
///
/// Keeps its memory from one record to the next, and of CSV the header.
public struct RecordReader: ~Copyable {
  private let format: SequenceFormat
  private let objectType: ObjectType
  private let schema: Schema
  private let mapping: MemberMapping
  private var json = JSONReader()
  private var bson = BSONReader()
  private var header: TableHeader?
  /// Whether there was an object yet.
  private var hasRead = false

  public init(
    _ format: SequenceFormat, of objectType: ObjectType, in schema: Schema,
    mapping: MemberMapping = MemberMapping()
  ) {
    self.format = format
    self.objectType = objectType
    self.schema = schema
    self.mapping = mapping
  }

  /// Returns the value of the object; nil: the record is a header, or there is nothing but space in it.
  public mutating func value(of record: ArraySlice<UInt8>) throws(RecordError) -> Value? {
    switch format {
    case .csv: return try row(record)
    case .json, .ndjson:
      if record.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
      return mapped(try text(record))
    case .bson:
      do throws(BSONError) {
        return mapped(
          .document(
            try unsafe record.withUnsafeBufferPointer { bytes throws(BSONError) in
              try unsafe bson.read(bytes)
            }))
      } catch {
        throw .bson(error)
      }
    }
  }

  private mutating func text(_ record: ArraySlice<UInt8>) throws(RecordError) -> Value {
    let value: Value
    do throws(JSONError) {
      value = try unsafe record.withUnsafeBufferPointer { (text) throws(JSONError) in
        try unsafe json.read(text)
      }
    } catch {
      if let foreign = foreignFormat(of: record) { throw .foreign(foreign) }
      throw .json(error)
    }
    if case .array = value, let foreign = foreignFormat(of: record) { throw .foreign(foreign) }
    hasRead = true
    return value
  }

  /// Returns another format that the first record shows; nil: none, or there was an object already.
  private func foreignFormat(of record: ArraySlice<UInt8>) -> ForeignFormat? {
    format == .ndjson && !hasRead ? ForeignFormat(inPlaceOfLines: record) : nil
  }

  private func mapped(_ value: Value) -> Value {
    guard case .document(let document) = value else { return value }
    return .document(mapping.apply(to: document, of: objectType, in: schema))
  }

  private mutating func row(_ record: ArraySlice<UInt8>) throws(RecordError) -> Value? {
    guard let header else {
      header = try names(in: record)
      return nil
    }
    // A class of one property may well have rows with nothing in them.
    if record.isEmpty, header.count > 1 { return nil }
    let fields: [CSVRecord.Field]
    do throws(CSVError) {
      fields = try CSVRecord(record, count: header.count).fields
    } catch {
      throw .csv(error)
    }
    return header.value(of: fields, with: &json)
  }

  private func names(in record: ArraySlice<UInt8>) throws(RecordError) -> TableHeader {
    let names: [String]
    do throws(CSVError) { names = try CSVRecord(record).fields.map(\.text) } catch { throw .csv(error) }
    do throws(ValidationError) {
      return try TableHeader(names, of: objectType, in: schema, mapping: mapping)
    } catch {
      throw .invalid(error)
    }
  }
}
