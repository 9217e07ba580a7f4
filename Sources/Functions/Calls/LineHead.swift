/// The members before a line's content, which say whom the line is for. They come in this order, with spaces wherever JSON has them:
///
///     {"call": "0a1b…", "question": …     a question
///     {"call": "0a1b…", …                 an answer
///     {"question": …                      a question that names no call
///     …                                   an answer to the call that is being made
struct LineHead: Hashable {
  private(set) var call: CallID?
  private(set) var isQuestion = false

  init(_ line: [UInt8]) {
    var rest = line[...]
    guard LineHead.take("{", from: &rest) else { return }
    var afterCall = rest
    if LineHead.take("\"call\"", from: &afterCall), LineHead.take(":", from: &afterCall),
      LineHead.take("\"", from: &afterCall), let id = CallID(text: afterCall.prefix(2 * CallID.size))
    {
      afterCall = afterCall.dropFirst(2 * CallID.size)
      guard LineHead.take("\"", from: &afterCall), LineHead.take(",", from: &afterCall) else { return }
      call = id
      rest = afterCall
    }
    isQuestion = LineHead.take("\"question\"", from: &rest) && LineHead.take(":", from: &rest)
  }

  private static func take(_ token: StaticString, from rest: inout ArraySlice<UInt8>) -> Bool {
    let start = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let bytes = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
    guard start.starts(with: bytes) else { return false }
    rest = start.dropFirst(bytes.count)
    return true
  }
}
