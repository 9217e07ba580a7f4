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

  @Test func `it is there, lent in parts, and taken back where the disk has room`() throws {
    try with { directory in
      var reserve = Reserve(in: directory, size: 1 << 20)
      #expect(file(directory) == [1 << 20, 1 << 20])
      let isLent = reserve.lend(1 << 18)
      #expect(isLent && file(directory) == [3 << 18, 3 << 18] && reserve.held == 3 << 18)
      let (rest, more) = (reserve.lend(.max), reserve.lend(1))
      #expect(rest && !more && file(directory) == [0, 0] && reserve.held == 0)
      reserve.takeBack()
      #expect(file(directory) == [1 << 20, 1 << 20] && reserve.held == 1 << 20)
      // Who opens the directory again finds it.
      #expect(Reserve(in: directory, size: 1 << 20).held == 1 << 20)
    }
  }

  @Test func `none is kept where none is wanted, or where the disk is too small for it`() throws {
    try with { directory in
      _ = Reserve(in: directory, size: 1 << 20)
      var none = Reserve(in: directory, size: 0)
      let isLent = none.lend(1)
      #expect(file(directory) == [] && none.held == 0 && !isLent)
      #expect(Reserve(in: "\(directory)/nowhere", size: 1 << 20).held == 0)
      #expect(Reserve(in: directory, size: Reserve.least - 1).held == 0)
    }
  }

  @Test func `a disk that says that it has no bounds has as much as can be counted`() {
    #expect(Reserve.size(blocks: .max, of: 4096) == .max)
    #expect(Reserve.size(blocks: 1 << 63, of: 1) == .max)
    #expect(Reserve.size(blocks: 3, of: 4096) == 12_288)
  }
}
