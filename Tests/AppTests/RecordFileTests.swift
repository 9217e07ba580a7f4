import FoundationEssentials
import Testing

@testable import GatehouseApp

struct RecordFileTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\na\n", ["", "", "a"]),
    ("a\r\n", ["a\r"]),
  ])
  func `a file is its lines, the last with or without line feed`(content: String, lines: [String]) throws {
    #expect(try Self.lines(of: content) == lines)
  }

  @Test func `a line may be longer than a piece and end on its border`() throws {
    let long = String(repeating: "x", count: RecordFile.pieceSize)
    let border = String(repeating: "y", count: RecordFile.pieceSize - 1)
    #expect(try Self.lines(of: "\(border)\n\(long)\n\(long)z\nend") == [border, long, "\(long)z", "end"])
  }

  @Test func `a missing file is an error with the system's reason`() {
    let error = CommandError.file(path: "/nowhere/x", action: .read, code: 2)
    #expect(throws: error) { try Self.open("/nowhere/x") }
    #expect(error.text == "cannot read /nowhere/x: No such file or directory")
  }

  private static func open(_ path: String) throws {
    _ = try RecordFile(path: path)
  }

  /// Checks the numbers and offsets on the way.
  private static func lines(of content: String) throws -> [String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID())").path()
    try Data(content.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var reader = try RecordFile(path: path)
    var lines: [String] = []
    while let line = try reader.next() {
      lines.append(String(decoding: line, as: UTF8.self))
      #expect(reader.number == lines.count)
    }
    #expect(reader.offset == content.utf8.count)
    #expect(reader.fraction == 1)
    return lines
  }
}
