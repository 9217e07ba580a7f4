internal import GatehouseBSON

/// An answer of JetStream: a document, or an error.
enum StreamAnswer {
  case success(Document)
  case failure(StreamError)

  /// Nil: the bytes are no answer.
  init?(_ json: [UInt8]) {
    guard let document = (try? Value(json: json, as: .plain))?.document else { return nil }
    guard let error = document["error"]?.document else {
      self = .success(document)
      return
    }
    self = .failure(
      StreamError(
        status: Int(clamping: error["code"]?.number ?? 0),
        code: Int(clamping: error["err_code"]?.number ?? 0),
        text: error["description"]?.text ?? ""))
  }
}

/// An error of JetStream.
///
/// Source: <https://github.com/nats-io/nats-server/blob/main/server/errors.json>.
struct StreamError: Error, Hashable, Sendable {
  let status: Int
  let code: Int
  let text: String

  static let streamNotFound = 10_059
  /// The second one does not say which sequence is the last.
  static let wrongLastSequence = [10_071, 10_164]
  static let messageTooLarge = 10_054

  /// The last sequence, where it is the error of another one having been expected.
  var lastSequence: UInt64? {
    guard StreamError.wrongLastSequence.contains(code), let colon = text.lastIndex(of: ":") else {
      return nil
    }
    return UInt64(text[text.index(after: colon)...].drop { $0 == " " })
  }
}
