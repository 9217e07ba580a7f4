extension Parameters {
  /// A `Link` field's value (RFC 8288) that leads to the next page at `path`: the same parameters, with one of them
  /// replaced.
  func linkToNextPage(at path: String, _ replaced: Name, _ value: String) -> String {
    var link: [UInt8] = []
    link.reserveCapacity(256)
    link.append(contentsOf: "<".utf8)
    link.append(contentsOf: path.utf8)
    link.append(UInt8(ascii: "?"))
    for parameter in values where parameter.name != replaced {
      Parameters.append(parameter.name, parameter.value, to: &link)
      link.append(UInt8(ascii: "&"))
    }
    Parameters.append(replaced, value, to: &link)
    link.append(contentsOf: ">; rel=\"next\"".utf8)
    return String(decoding: link, as: UTF8.self)
  }

  private static func append(_ name: Name, _ value: String, to query: inout [UInt8]) {
    query.append(contentsOf: name.rawValue.utf8)
    query.append(UInt8(ascii: "="))
    value.appendPercentEncoded(to: &query)
  }
}
