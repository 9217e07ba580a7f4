import GatehouseTestSupport
import Glibc
import Testing

@testable import GatehouseStorage

/// Room that deletions find where the disk is full; `Scripts/faults` fills one.
@Suite struct ReserveTests {
  private func with(_ body: (String) throws -> Void) throws {
    var template = Array("\(Machine.scratch)/gatehouse-reserve-XXXXXX".utf8CString)
    _ = try #require(mkdtemp(&template))
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try body(directory)
    unlink("\(directory)/reserve")
    rmdir(directory)
  }

  /// The size of the file, and what of it is on the disk.
  private func file(_ directory: String) -> [Int] {
    var status = stat()
    return stat("\(directory)/reserve", &status) == 0
      ? [Int(status.st_size), Int(status.st_blocks) * 512] : []
  }

  @Test func `it is there, given up once, and taken back where the disk has room`() throws {
    try with { directory in
      var reserve = Reserve(in: directory, size: 1 << 20)
      #expect(file(directory) == [1 << 20, 1 << 20] && !reserve.isSpent)
      let (first, second) = (reserve.spend(), reserve.spend())
      #expect(first && !second)
      #expect(file(directory) == [0, 0] && reserve.isSpent)
      reserve.restore(freeBytesInFile: 0)
      #expect(file(directory) == [1 << 20, 1 << 20] && !reserve.isSpent)
      // Who opens the directory again finds it.
      #expect(Reserve(in: directory, size: 1 << 20).held == 1 << 20)
    }
  }

  @Test func `none is kept where none is wanted, or where the disk is too small for it`() throws {
    try with { directory in
      _ = Reserve(in: directory, size: 1 << 20)
      var none = Reserve(in: directory, size: 0)
      let isSpent = none.spend()
      #expect(file(directory) == [] && none.held == 0 && !isSpent)
      #expect(Reserve(in: "\(directory)/nowhere", size: 1 << 20).held == 0)
      #expect(Reserve(in: directory, size: Reserve.least - 1).held == 0)
    }
  }
}
