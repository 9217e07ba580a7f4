extension Target {
  /// The path's segments, percent-decoded: none for `/`; a last empty one for a path that ends in `/`.
  ///
  /// Split before decoding, so that `%2F` is data. `.` and `..` are data too: nothing here is a file name.
  /// Throws ``PercentEncodingError``.
  public func segments() throws(PercentEncodingError) -> [String] {
    var segments: [String] = []
    let path = pathBytes.dropFirst()
    if path.isEmpty { return [] }
    var start = path.startIndex
    while true {
      let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
      segments.append(try PercentEncoding.decode(path[start..<end]))
      if end == path.endIndex { return segments }
      start = end + 1
    }
  }

  /// The query's parameters in order, percent-decoded, with `+` for a space; a piece without `=` is a name
  /// with an empty value, and empty pieces are skipped.
  ///
  /// Throws ``PercentEncodingError``.
  public func parameters() throws(PercentEncodingError) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    guard let query = queryBytes else { return [] }
    var start = query.startIndex
    while start < query.endIndex {
      let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
      if end > start { parameters.append(try Self.parameter(query[start..<end])) }
      start = end + 1
    }
    return parameters
  }

  private static func parameter(
    _ piece: ArraySlice<UInt8>
  ) throws(PercentEncodingError) -> (name: String, value: String) {
    let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
    let name = try PercentEncoding.decode(piece[..<equals], plusIsSpace: true)
    if equals == piece.endIndex { return (name, "") }
    return (name, try PercentEncoding.decode(piece[(equals + 1)...], plusIsSpace: true))
  }
}
