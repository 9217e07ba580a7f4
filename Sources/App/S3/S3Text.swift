/// An answer of an S3 server, XML of elements without attributes: only their texts are looked for.
struct S3Text {
  private let text: String

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the texts of the elements of that name, in their order.
  func values(_ name: String) -> [String] {
    var values: [String] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "<\(name)>"),
      let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
    {
      values.append(S3Text.decoded(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return values
  }

  private static func decoded(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#34;", "\""),
      ("&amp;", "&"),
    ]
    return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
  }
}
