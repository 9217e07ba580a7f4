extension Target {
  /// The path's segments, percent-decoded: none for `/`; a last empty one for a path that ends in `/`.
  ///
  /// Split before decoding, so that `%2F` is data. `.` and `..` are data too: nothing here is a file name.
  /// Throws ``PercentEncodingError``.
  public func segments() throws(PercentEncodingError) -> [String] {
    try withPathBytes { path in Result { () throws(PercentEncodingError) in try Self.segments(path) } }.get()
  }

  private static func segments(_ path: UnsafeRawBufferPointer) throws(PercentEncodingError) -> [String] {
    var segments: [String] = []
    var start = 1
    if path.count <= start { return [] }
    // Most paths have fewer.
    segments.reserveCapacity(6)
    while start <= path.count {
      let end = path.index(of: UInt8(ascii: "/"), from: start)
      segments.append(try PercentEncoding.decode(path.part(start, end)))
      start = end + 1
    }
    return segments
  }

  /// The query's parameters in order, percent-decoded, with `+` for a space; a piece without `=` is a name
  /// with an empty value, and empty pieces are skipped.
  ///
  /// Throws ``PercentEncodingError``.
  public func parameters() throws(PercentEncodingError) -> [(name: String, value: String)] {
    try withQueryBytes { query in
      Result { () throws(PercentEncodingError) in try query.map(Self.parameters) ?? [] }
    }.get()
  }

  private static func parameters(
    _ query: UnsafeRawBufferPointer
  ) throws(PercentEncodingError) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    var start = 0
    // Most queries have fewer.
    if !query.isEmpty { parameters.reserveCapacity(4) }
    while start < query.count {
      let end = query.index(of: UInt8(ascii: "&"), from: start)
      if end > start { parameters.append(try parameter(query.part(start, end))) }
      start = end + 1
    }
    return parameters
  }

  private static func parameter(
    _ piece: UnsafeRawBufferPointer
  ) throws(PercentEncodingError) -> (name: String, value: String) {
    let equals = piece.index(of: UInt8(ascii: "="), from: 0)
    let name = try PercentEncoding.decode(piece.part(0, equals), plusIsSpace: true)
    if equals == piece.count { return (name, "") }
    return (name, try PercentEncoding.decode(piece.part(equals + 1, piece.count), plusIsSpace: true))
  }
}
