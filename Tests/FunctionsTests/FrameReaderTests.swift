import Testing

@testable import Functions

struct FrameReaderTests {
  private func read(_ bytes: [UInt8], _ framing: Framing, piece: Int) throws(FrameReader.Fault) -> [Frame] {
    var reader = FrameReader(framing, limit: 20)
    var frames: [Frame] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { reader.append($0) }
      while let frame = try reader.next() { frames.append(frame) }
    }
    return frames
  }

  @Test(arguments: [1, 2, 7, 100])
  func `frames come in any pieces`(piece: Int) throws {
    let frames = [Frame(kind: .answer, payload: [1, 2, 3]), Frame(kind: .question, payload: [])]
    #expect(try read(frames.flatMap { $0.bytes(as: .frames) }, .frames, piece: piece) == frames)
  }

  @Test(arguments: [1, 2, 7, 100])
  func `lines come in any pieces`(piece: Int) throws {
    let frames = [Frame(kind: .answer, payload: [1, 2, 3]), Frame(kind: .answer, payload: [])]
    #expect(try read(frames.flatMap { $0.bytes(as: .lines) }, .lines, piece: piece) == frames)
  }

  @Test(arguments: [
    ([21, 0, 0, 0, 0x41] as [UInt8], Framing.frames, FrameReader.Fault.tooLarge),
    ([0xff, 0xff, 0xff, 0xff, 0x41], .frames, .tooLarge),
    ([0, 0, 0, 0, 0x41], .frames, .malformed),
    ([1, 0, 0, 0, 0x40], .frames, .malformed),
    (Array(repeating: 1, count: 21), .lines, .tooLarge),
  ])
  func `what is no message is refused`(bytes: [UInt8], framing: Framing, fault: FrameReader.Fault) {
    #expect(throws: fault) { try read(bytes, framing, piece: 100) }
  }
}
