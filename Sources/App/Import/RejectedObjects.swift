import GatehouseBSON
import Glibc

/// The objects that an import goes on without: written to a file in the format that they came in, and told of.
final class RejectedObjects {
  /// The number of those that are told of one by one.
  private static let mostTold = 20

  private let source: ImportSource
  private let path: String?
  private let output: Output?
  private var count = 0

  /// Makes the file, which must not be there yet: it might be any file of somebody's.
  init(of source: ImportSource, to path: String?) throws(CommandError) {
    self.source = source
    self.path = path
    guard let path else {
      output = nil
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
    output = Output(descriptor: descriptor, path: path)
  }

  deinit {
    if let output { close(output.descriptor) }
  }

  func add(_ refused: ImportSource.Refused) throws(CommandError) {
    count += 1
    if count <= Self.mostTold {
      Output.error.write("gatehouse: \(source.error(refused.reason, at: refused.number).text)\n")
    } else if count == Self.mostTold + 1 {
      Output.error.write("gatehouse: there are more\n")
    }
    guard let output else { return }
    let reason = refused.reason.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
    try output.write(bytes(of: refused.record, reason: reason.joined(separator: " ")))
  }

  /// Ends the file, and says how many objects are in it. There is none where there is no object.
  func finish() throws {
    if let output, source.options.format == .json, count > 0 { try output.write(Array("\n]\n".utf8)) }
    if count == 0, let path { unlink(path) }
    if count == 0 { return }
    let objects = "\(Quantity.grouped(count)) \(count == 1 ? "object was" : "objects were") rejected"
    Output.error.write(objects + (path.map { ": \($0)\n" } ?? "\n"))
  }

  private func bytes(of record: [UInt8], reason: String) -> [UInt8] {
    switch source.options.format {
    case .csv:
      var bytes = count == 1 ? RejectedObjects.row(source.header, ImportOptions.errorName) : []
      bytes += RejectedObjects.row(record, reason)
      return bytes
    case .ndjson: return document(of: record, reason).plainJSON + [0x0A]
    case .json: return Array((count == 1 ? "[\n" : ",\n").utf8) + document(of: record, reason).plainJSON
    case .bson: return (try? document(of: record, reason).bson()) ?? []
    }
  }

  /// Returns the bytes of a record as text, or where they are none as data.
  private static func value(of record: [UInt8]) -> Value {
    String(validating: record, as: UTF8.self).map { .string($0) }
      ?? .binary(Binary(bytes: record))
  }

  /// Returns a record of a table with one more field. It may be malformed, and stays so.
  private static func row(_ record: [UInt8], _ field: String) -> [UInt8] {
    var bytes = record
    bytes.append(UInt8(ascii: ","))
    bytes.appendCSV(field: field)
    bytes.endCSVRecord()
    return bytes
  }

  /// Returns the object with the reason; of what is no object the record as it is.
  private func document(of record: [UInt8], _ reason: String) -> Document {
    let read: Document? =
      if source.options.format == .bson {
        try? Document(bson: record)
      } else if case .document(let document)? = try? Value(json: record) {
        document
      } else {
        nil
      }
    var rejected = Document()
    if let read {
      for element in read.elements where element.key != ImportOptions.errorName {
        rejected.append(element.key, element.value)
      }
    } else {
      rejected.append("_record", RejectedObjects.value(of: record))
    }
    rejected.append(ImportOptions.errorName, .string(reason))
    return rejected
  }
}

extension Document {
  fileprivate var plainJSON: [UInt8] { Value.document(self).plainJSON }
}
