/// The rule of the framing that bytes from a worker break.
enum FrameError: Error, Hashable {
  /// A message has more bytes than it may.
  case tooLarge
  /// A length below the head's, or a kind that is none.
  case malformed
}
