import GatehouseBSON
import GatehouseOutbound
import Testing

@testable import GatehouseApp

/// The examples of <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
struct RequestSignatureTests {
  private static let signature = RequestSignature(
    credentials: S3Credentials(
      keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", date: Date("2013-05-24T00:00:00Z") ?? .now)
  private static let host = "examplebucket.s3.amazonaws.com"

  @Test(arguments: [
    (
      RequestSignature.Request(
        method: "GET", host: host, path: "/test.txt", fields: [HeaderField("range", "bytes=0-9")]),
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    ),
    (
      RequestSignature.Request(
        method: "PUT", host: host, path: "/test$file.text", content: Array("Welcome to Amazon S3.".utf8),
        fields: [
          HeaderField("date", "Fri, 24 May 2013 00:00:00 GMT"),
          HeaderField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ]),
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    ),
    (
      RequestSignature.Request(method: "GET", host: host, path: "/", query: [("lifecycle", "")]),
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    ),
    (
      RequestSignature.Request(
        method: "GET", host: host, path: "/", query: [("prefix", "J"), ("max-keys", "2")]),
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    ),
  ])
  func `a request has the signature of AWS' examples`(request: RequestSignature.Request, expected: String) {
    let fields = Self.signature.fields(of: request)
    let authorization = fields.first { $0.name == "authorization" }?.value ?? ""
    #expect(authorization.hasSuffix(",Signature=\(expected)"), "\(authorization)")
  }

  @Test func `a session's token is sent and signed`() {
    let signature = RequestSignature(
      credentials: S3Credentials(keyID: "id", secret: "secret", token: "token"), region: "r", date: .now)
    let fields = signature.fields(of: RequestSignature.Request(method: "GET", host: "h", path: "/"))
    #expect(fields.contains(HeaderField("x-amz-security-token", "token")))
    let names = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
    #expect(fields.last?.value.contains(names) == true)
  }
}
