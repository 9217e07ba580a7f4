import Testing

@testable import GatehouseApp

struct S3SettingsTests {
  private static let key = [
    (name: "AWS_ACCESS_KEY_ID", value: "id"), (name: "AWS_SECRET_ACCESS_KEY", value: "s"),
  ]

  @Test func `the variables are those of the AWS command line`() throws {
    let bare = try S3Settings(Environment(Self.key + [("AWS_REGION", ""), ("AWS_SESSION_TOKEN", "")]))
    #expect(bare.credentials == S3Credentials(keyID: "id", secret: "s"))
    #expect((bare.region, bare.endpoint, bare.certificates) == ("us-east-1", nil, nil))
    let full = try S3Settings(
      Environment(
        Self.key + [
          ("AWS_SESSION_TOKEN", "t"), ("AWS_DEFAULT_REGION", "a"), ("AWS_REGION", "b"),
          ("AWS_ENDPOINT_URL", "http://x"), ("AWS_ENDPOINT_URL_S3", "https://S3.example.org:443/"),
          ("AWS_CA_BUNDLE", "/ca.pem"),
        ]))
    #expect(full.credentials.token == "t")
    #expect((full.region, full.certificates) == ("b", "/ca.pem"))
    #expect(full.endpoint == S3Endpoint(scheme: "https", host: "s3.example.org"))
  }

  @Test func `without credentials, or with a wrong server, there is an error`() {
    #expect(throws: S3Error.missingCredentials) { try S3Settings(Environment([Self.key[0]])) }
    #expect(
      throws: CommandError.invalidValue(
        name: "AWS_ENDPOINT_URL", text: "x:9000", expected: "a URL such as https://s3.example.org")
    ) { try S3Settings(Environment(Self.key + [("AWS_ENDPOINT_URL", "x:9000")])) }
  }

  @Test(arguments: [
    ("s3://bucket", "bucket", ""), ("s3://bucket/", "bucket", ""),
    ("s3://my.bucket-1/a/b c/", "my.bucket-1", "a/b c"),
  ])
  func `a location is a bucket and a prefix`(text: String, bucket: String, prefix: String) throws {
    let location = try #require(S3Location(text))
    #expect((location.bucket, location.prefix) == (bucket, prefix))
    #expect(location.key("blobs/x") == (prefix.isEmpty ? "blobs/x" : "\(prefix)/blobs/x"))
  }

  @Test(arguments: [
    "s3://", "s3://ab", "s3://Bucket", "s3://bucket//a", "s3://bucket/../a", "s3://bucket/a\n", "bucket",
  ])
  func `anything else is no location`(text: String) {
    #expect(S3Location(text) == nil)
  }

  @Test func `the texts of elements are found and decoded`() {
    let text = S3Text(Array("<a><Key>x&amp;lt;y</Key><Other>1</Other><Key>&lt;ü&gt;</Key><Key>open</a>".utf8))
    #expect(text.values("Key") == ["x&lt;y", "<ü>"])
    #expect(text.values("Code") == [])
  }
}
