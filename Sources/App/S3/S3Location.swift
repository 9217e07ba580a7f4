/// A bucket, and the beginning of the keys in it: `s3://bucket/prefix`.
struct S3Location: Hashable, Sendable {
  let bucket: String
  /// Without a slash at its ends; it may be empty.
  let prefix: String

  static let expectation = "s3://BUCKET or s3://BUCKET/PREFIX"

  /// Nil: the text is something else.
  init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    let parts = text.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(parts[0])
    guard bucket.utf8.count >= 3, bucket.utf8.count <= 63,
      bucket.utf8.allSatisfy({ S3Location.isOfBucket($0) })
    else { return nil }
    var names = (parts.count > 1 ? parts[1] : "").split(separator: "/", omittingEmptySubsequences: false)
    if names.last?.isEmpty == true { names.removeLast() }
    // A path of a URL would not keep others as they are.
    guard
      names.allSatisfy({ name in
        !name.isEmpty && name != "." && name != ".." && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      })
    else { return nil }
    prefix = names.joined(separator: "/")
  }

  private static func isOfBucket(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }
}
