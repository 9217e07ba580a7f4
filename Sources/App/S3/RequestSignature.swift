import GatehouseBSON
import GatehouseCrypto
import GatehouseOutbound

/// Signs a request to an S3 server: AWS Signature Version 4
/// (<https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>).
struct RequestSignature {
  let credentials: S3Credentials
  let region: String
  let date: Date

  /// A request as it is signed.
  struct Request {
    let method: String
    let host: String
    /// With its slash, not yet encoded.
    let path: String
    var query: [(name: String, value: String)] = []
    var content: [UInt8] = []
    /// Other fields, with names in lower case.
    var fields: [HeaderField] = []

    /// The path with what a URL would not take, nor the signature, encoded.
    var encodedPath: String { RequestSignature.encoded(path, but: "/") }

    /// The parameters in the order in which they are signed, encoded.
    var encodedQuery: String {
      query.map { (RequestSignature.encoded($0.name), RequestSignature.encoded($0.value)) }
        .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }
  }

  /// Returns the fields to be sent with the request, beside `Host` and its own.
  func fields(of request: Request) -> [HeaderField] {
    let hash = Hexadecimal.text(of: Digest.sha256.hash(request.content))
    var fields =
      request.fields + [
        HeaderField("x-amz-content-sha256", hash), HeaderField("x-amz-date", time),
      ]
    if let token = credentials.token { fields.append(HeaderField("x-amz-security-token", token)) }
    let signed = (fields + [HeaderField("host", request.host)]).sorted { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let canonical =
      ([request.method, request.encodedPath, request.encodedQuery] + signed.map { "\($0.name):\($0.value)" }
      + ["", names, hash]).joined(separator: "\n")
    let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
    let text = [
      "AWS4-HMAC-SHA256", time, scope, Hexadecimal.text(of: Digest.sha256.hash(Array(canonical.utf8))),
    ]
    let signature = Hexadecimal.text(of: MessageCode.of(Array(text.joined(separator: "\n").utf8), key: key))
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
    return fields + [HeaderField("authorization", authorization)]
  }

  /// `20261125T144538Z`.
  private var time: String {
    Date(seconds: date.seconds).storedText.filter { $0 != "-" && $0 != ":" } + "Z"
  }

  private var key: [UInt8] {
    [String(time.prefix(8)), region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secret)".utf8)) {
      MessageCode.of(Array($1.utf8), key: $0)
    }
  }

  /// Percent-encodes all bytes but the unreserved ones of RFC 3986.
  fileprivate static func encoded(_ text: String, but others: String = "") -> String {
    let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(others)".utf8)
    return text.utf8.map { byte in
      kept.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text(of: [byte]).uppercased()
    }.joined()
  }
}
