/// The rule that a line of a chunked content breaks (RFC 9112, section 7.1).
enum LineError: Error {
  case tooLong
  /// A line feed without the CR before it, so many bytes after the start of the line.
  case bareLineFeed(offset: Int)
}
