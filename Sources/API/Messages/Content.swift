import GatehouseBSON
import GatehouseHTTP
import GatehouseModel

/// The values in the content of a request.
enum Content: Sendable {
  case one(Value)
  /// Elements of an array, or lines, or documents after each other.
  case many([Value], Form)

  /// The way in which several values are put together.
  enum Form: Hashable, Sendable {
    case array
    /// For each value the line that it is on, from 1: blank lines may stand between.
    case lines([Int])
    case documents
  }

  /// The place where content is malformed, and the rule that broke there.
  struct SyntaxError: Hashable, Sendable {
    /// The rule that broke.
    enum Rule: Hashable, Sendable {
      case json(JSONError.Rule)
      case bson(BSONError.Rule)
      case csv(CSVError.Rule)
      /// JSON or lines of it are expected, and it is something else.
      case foreign(ForeignFormat)
    }

    let rule: Rule
    /// Bytes from the start of the content, or of the line.
    let offset: Int
    /// The line, from 1; nil where the content is not read line by line.
    let line: Int?
  }

  /// The one of several objects that something is about.
  struct Place: Hashable, Sendable {
    /// JSON Pointer (RFC 6901) to it.
    let pointer: String
    /// The line that it is on, from 1.
    var line: Int?
  }

  /// A reason why the values of an object are none of its class; nil place: it is the only one.
  struct Problem: Hashable, Sendable {
    let problem: ValidationProblem
    let place: Place?
  }

  /// Throws ``APIError/malformedContent(_:)``. A table is none without a class, which says what its cells are.
  init(_ bytes: [UInt8], as type: ContentType) throws(APIError) {
    switch type {
    case .json, .extendedJSON, .mergePatch, .jsonPatch: self = try Content(json: bytes)
    case .jsonLines: self = try Content(lines: bytes)
    case .bson: self = try Content(documents: bytes)
    case .csv: throw .unsupportedMediaType(.post, reads: ContentType.ofValues)
    }
  }

  /// Extended JSON is understood anywhere, so that there is one dialect for what comes in.
  private init(json bytes: [UInt8]) throws(APIError) {
    do {
      switch try Value(json: bytes) {
      case .array(let values): self = .many(values, .array)
      case let value: self = .one(value)
      }
    } catch {
      if ForeignFormat(inPlaceOfLines: bytes[...]) == .gzip {
        throw .malformedContent(SyntaxError(rule: .foreign(.gzip), offset: 0, line: nil))
      }
      throw .malformedContent(SyntaxError(rule: .json(error.rule), offset: error.offset, line: nil))
    }
  }

  private init(lines bytes: [UInt8]) throws(APIError) {
    var reader = JSONReader()
    var values: [Value] = []
    var numbers: [Int] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.isBlank { continue }
      // The first line that is no object shows which other format it may be.
      let foreign = numbers.isEmpty ? ForeignFormat(inPlaceOfLines: bytes[...]) : nil
      let value: Value
      do throws(JSONError) {
        value = try unsafe line.withUnsafeBufferPointer { (text) throws(JSONError) in
          try unsafe reader.read(text)
        }
      } catch {
        if let foreign {
          throw .malformedContent(SyntaxError(rule: .foreign(foreign), offset: 0, line: number))
        }
        throw .malformedContent(SyntaxError(rule: .json(error.rule), offset: error.offset, line: number))
      }
      if case .array = value, let foreign {
        throw .malformedContent(SyntaxError(rule: .foreign(foreign), offset: 0, line: number))
      }
      values.append(value)
      numbers.append(number)
    }
    self = .many(values, .lines(numbers))
  }
}

extension Content {
  /// Reads one document, or several after each other.
  private init(documents bytes: [UInt8]) throws(APIError) {
    var reader = BSONReader()
    var values: [Value] = []
    var rest = bytes[...]
    repeat {
      do {
        // The reader wants to know where the document ends: its first four bytes say so.
        let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let end = length <= rest.count ? rest.startIndex + max(length, 5) : rest.endIndex
        let document = try unsafe rest[..<min(end, rest.endIndex)].withUnsafeBufferPointer {
          (bytes) throws(BSONError) in
          try unsafe reader.read(bytes)
        }
        values.append(.document(document))
        rest = rest[end...]
      } catch {
        throw .malformedContent(
          SyntaxError(rule: .bson(error.rule), offset: rest.startIndex + error.offset, line: nil))
      }
    } while !rest.isEmpty
    self = values.count == 1 ? .one(values[0]) : .many(values, .documents)
  }
}

extension ArraySlice<UInt8> {
  /// Whether there is only space in it.
  fileprivate var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}
