import GatehouseBSON
import GatehouseModel

/// Reads the objects of a content one after the other, each with its line; an error tells which one it is about.
struct LocatedRecords: ~Copyable {
  private var scanner: RecordScanner
  private var reader: RecordReader
  /// The number of objects so far.
  private(set) var count = 0
  /// The line of the record that was read last, from 1; 0: there was none.
  private(set) var line = 0

  init(_ format: SequenceFormat, of objectType: ObjectType, in schema: Schema) {
    scanner = RecordScanner(format)
    reader = RecordReader(format, of: objectType, in: schema)
  }

  /// Takes records from the front of `rest` up to one that is an object; nil: more bytes are needed, or these were all
  /// (`isWhole`). Throws ``APIError/malformedContent(_:)`` and ``APIError/invalidObjects(_:)``.
  mutating func next(
    in rest: inout ArraySlice<UInt8>, isWhole: Bool
  ) throws(APIError) -> (value: Value, line: Int)? {
    do throws(RecordError) {
      while let extent = try extent(in: rest, isWhole: isWhole) {
        line = extent.line
        let value = try reader.value(of: rest[extent.content])
        rest = rest[extent.next...]
        guard let value else { continue }
        count += 1
        return (value, line)
      }
      return nil
    } catch {
      throw APIError(error, at: Content.Place(pointer: "/\(count)", line: line))
    }
  }

  private mutating func extent(
    in rest: ArraySlice<UInt8>, isWhole: Bool
  ) throws(RecordError) -> RecordScanner.Extent? {
    do throws(JSONError) { return try scanner.next(in: rest, isWhole: isWhole) } catch { throw .json(error) }
  }
}

extension APIError {
  /// Makes the error of a record at that place.
  fileprivate init(_ error: RecordError, at place: Content.Place) {
    let (rule, offset): (Content.SyntaxError.Rule, Int)
    switch error {
    case .json(let error): (rule, offset) = (.json(error.rule), error.offset)
    case .bson(let error): (rule, offset) = (.bson(error.rule), error.offset)
    case .csv(let error): (rule, offset) = (.csv(error.rule), error.offset)
    case .foreign(let format): (rule, offset) = (.foreign(format), 0)
    case .invalid(let error):
      // The names of columns are no object's.
      let place = Content.Place(pointer: "", line: place.line)
      self = .invalidObjects(error.problems.map { Content.Problem(problem: $0, place: place) })
      return
    }
    self = .malformedContent(Content.SyntaxError(rule: rule, offset: offset, line: place.line))
  }
}
