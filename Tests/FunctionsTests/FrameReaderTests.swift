import GatehouseSeeded
import Testing

@testable import GatehouseFunctions

struct FrameReaderTests {
  private func read(_ bytes: [UInt8], _ framing: Framing, piece: Int) throws(FrameError) -> [Frame] {
    var reader = FrameReader(framing, limit: 80)
    var frames: [Frame] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { reader.append($0) }
      while let frame = try reader.next() { frames.append(frame) }
    }
    return frames
  }

  @Test(arguments: [1, 2, 7, 100])
  func `frames come in any pieces`(piece: Int) throws {
    let frames = [
      Frame(kind: .answer, call: CallID(), payload: [1, 2, 3]),
      Frame(kind: .question, call: CallID(), payload: []),
    ]
    #expect(try read(frames.flatMap { $0.bytes(as: .frames) }, .frames, piece: piece) == frames)
  }

  @Test(arguments: [1, 2, 7, 100])
  func `lines come in any pieces`(piece: Int) throws {
    let frames = [Frame(kind: .answer, payload: [1, 2, 3]), Frame(kind: .answer, payload: [])]
    #expect(try read(frames.flatMap { $0.bytes(as: .lines) }, .lines, piece: piece) == frames)
  }

  @Test(arguments: [
    (#"{"result":1}"#, false, false), (#"{"question":{}}"#, false, true),
    (#" {"call" : "ID" , "question":{}}"#, true, true), (#"{"call":"ID","result":"question"}"#, true, false),
    (#"{"call":"ID"}"#, false, false), (#"{"call":"I","question":{}}"#, false, false),
    (#"{"call":"xID","question":{}}"#, false, false), (#"{"result":{"question":{}}}"#, false, false),
    ("", false, false), (#"{"call":"ID"#, false, false), (#"[{"question":{}}]"#, false, false),
  ])
  func `a line begins with its call and what it is`(line: String, namesCall: Bool, isQuestion: Bool) throws {
    let id = CallID()
    let parts = line.split(separator: "ID", omittingEmptySubsequences: false)
    let bytes = Array(parts.joined(separator: id.text).utf8)
    let frames = try read(bytes + [0x0a], .lines, piece: 1)
    let expected = Frame(
      kind: isQuestion ? .question : .answer, call: namesCall ? id : nil, payload: bytes)
    #expect(frames == [expected])
  }

  @Test(arguments: [
    ([81, 0, 0, 0, 0x41] as [UInt8], Framing.frames, FrameError.tooLarge),
    ([0xff, 0xff, 0xff, 0xff, 0x41], .frames, .tooLarge),
    ([0, 0, 0, 0, 0x41], .frames, .malformed),
    ([16, 0, 0, 0, 0x41], .frames, .malformed),
    ([17, 0, 0, 0, 0x40], .frames, .malformed),
    (Array(repeating: 1, count: 81), .lines, .tooLarge),
  ])
  func `what is no message is refused`(bytes: [UInt8], framing: Framing, fault: FrameError) {
    #expect(throws: fault) { try read(bytes, framing, piece: 100) }
  }

  @Test(arguments: [Framing.frames, .lines], 0..<10 as Range<UInt64>)
  func `mutated messages are the same in any pieces, or refused`(framing: Framing, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let call = CallID((0..<CallID.size).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      let line = Array(#"{"call":"\#(call.text)","question":{}}"#.utf8)
      let message = Frame(kind: .question, call: call, payload: line).bytes(as: framing)
      var bytes = message + message + message
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = .random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(bytes[index], at: index)
        }
      }
      let whole = Result { () throws(FrameError) in try read(bytes, framing, piece: bytes.count) }
      for piece in [1, 7] {
        #expect(Result { () throws(FrameError) in try read(bytes, framing, piece: piece) } == whole)
      }
    }
  }
}
