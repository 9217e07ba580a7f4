import GatehouseAPI
import GatehouseBSON
import Glibc

/// Reads a file record by record, in large pieces: lines, or objects in another format.
struct RecordFile: ~Copyable {
  private let file: InputFile
  /// Picks the documents of one collection; nil: all bytes are records.
  private var archive: DumpArchive?
  /// Bytes of the archive that there was no room for.
  private var waiting: ArraySlice<UInt8> = []
  /// The unit that ``number`` counts.
  let unit: RecordUnit
  private var scanner: RecordScanner
  private var buffer = [UInt8](repeating: 0, count: RecordFile.pieceSize)
  /// Where in `buffer` the next record begins.
  private var start = 0
  /// Up to where `buffer` holds what was read.
  private var end = 0
  private var isWhole = false
  /// The line of the last record, or of documents its number, from 1.
  private(set) var number = 0
  /// How many bytes the records so far took.
  private(set) var offset = 0

  static let pieceSize = 1 << 20

  /// - Parameter collection: the one whose documents are the records, where the file is an archive of several.
  init(
    path: String, as format: SequenceFormat = .ndjson, collection: String? = nil
  ) throws(CommandError) {
    file = if path.hasSuffix(".gz") { try InputFile(unpacking: path) } else { try InputFile(path: path) }
    archive = collection.map { DumpArchive(collection: $0) }
    scanner = RecordScanner(format)
    unit = format == .bson ? .document : .line
  }

  /// How much of the file has been read, from 0 to 1; nil where its size is unknown.
  var fraction: Double? {
    file.size.map { $0 == 0 || isWhole && start == end ? 1 : Double(offset) / Double($0) }
  }

  /// The next record; nil at the end. Of a line it is all but the line feed: a carriage return is space to JSON.
  mutating func next() throws(CommandError) -> ArraySlice<UInt8>? {
    while true {
      if let extent = try extent() {
        number = unit == .document ? number + 1 : extent.line
        offset += extent.next - start
        start = extent.next
        return buffer[extent.content]
      }
      if isWhole { return nil }
      isWhole = try !fill()
    }
  }

  private mutating func extent() throws(CommandError) -> RecordScanner.Extent? {
    do throws(JSONError) {
      return try scanner.next(in: buffer[start..<end], isWhole: isWhole)
    } catch {
      let line = scanner.line + buffer[start..<start + error.offset].count { $0 == 0x0A }
      throw .record(path: file.path, unit: .line, number: line, reason: ErrorExplanation(error).detail)
    }
  }

  /// Moves what is left to the front, and reads on behind it; false at the end of the file.
  private mutating func fill() throws(CommandError) -> Bool {
    if start > 0 { buffer.replaceSubrange(0..<(end - start), with: Array(buffer[start..<end])) }
    (end, start) = (end - start, 0)
    precondition(end >= 0 && end <= buffer.count, "what is left of a piece is in the buffer")
    if end == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
    // Taken out, since `file` cannot be used while a member of `self` is being changed.
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    defer { swap(&bytes, &buffer) }
    let room = bytes.count - end
    if archive != nil {
      let documents = try nextDocuments(atMost: room)
      bytes.replaceSubrange(end..<end + documents.count, with: documents)
      end += documents.count
      return !documents.isEmpty
    }
    let count = try bytes.withUnsafeMutableBytes { bytes in
      file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
    }.get()
    end += count
    return count > 0
  }

  /// Returns bytes of the archive's documents; none at the end.
  private mutating func nextDocuments(atMost count: Int) throws(CommandError) -> ArraySlice<UInt8> {
    var piece = [UInt8](repeating: 0, count: RecordFile.pieceSize)
    while waiting.isEmpty {
      let read = try piece.withUnsafeMutableBytes { file.read(into: $0) }.get()
      do throws(DumpArchive.Failure) {
        guard read > 0 else {
          try archive?.finish()
          return []
        }
        waiting = try archive?.documents(in: piece[..<read])[...] ?? []
      } catch {
        throw .archive(path: file.path, error)
      }
    }
    defer { waiting = waiting.dropFirst(count) }
    return waiting.prefix(count)
  }
}
