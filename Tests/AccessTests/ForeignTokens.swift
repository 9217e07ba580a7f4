/// Tokens made by Python (`hmac`, `cryptography`), as others would: of `ann`, for `app`, until 2100, unless their name
/// says otherwise. Those with RS256 are signed by `Keys.rsa`.
enum ForeignTokens {
  static let secret = "0123456789abcdef0123456789abcdef"

  static let hs256 =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.YhmGiQ-Kyfq8oL7F9vehV4ioWAMSIqiD51Ntn1k17A4"

  static let rs256 =
    "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.DV0gddtr-B_aPPPifCmC6T5snOfN485YhMO48jogRx8"
    + "k8unmRxC2SXGX6vxr60S4EKXepRexVmKE3r7yrwPGeXIMqmUUYMI865-aqv-Dj4OGS2dBUmTD_1cLCv7qsBc4iPuHw6n"
    + "xky4SAXGxsHmiF4ZgYjj8AblD2PP3n6HkVYSNNYSOL1Zq25tI99Z6AMTWuSrnwIoXbSrdta3hAvdnRPQQYVvreVcx0Cc"
    + "c1XrCynlHkOKCrPQD2bXm3PBdl2Us3ZmvafK7rtNAFMXm4plBBwQW9V50E7yju0IXBQyUdODznOzv62kGyRF_oJkmMeF"
    + "ib_Kc3NIB8OPWx5UGQMQ0DQ"

  /// Signed by openssl with the private half of `Keys.p256Public`.
  static let es256 =
    "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.RfaTBvBZw3frdsTYAi7YF0C22N8pEQNQHPSCwHj8TBe"
    + "wjDZNaQl-VJy1XBGsisFidJspnJTFOptP7JenLAlgyQ"

  /// Signed with HS256, the text of the public key being the secret.
  static let confused =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.yMKe5s0KO-3s2xKIXcPr9tT0-f3NNDRTov5Ty5YBsY0"

  static let expired =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjE2MDAwMDAwMDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.wPAr-3u-xMJTjofBMAfQC4PWtkiylWI7IZXGt07J4HI"

  /// Without `exp`.
  static let endless =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJ1c2VyIjp7ImVtYWlsIjo"
    + "iYW5uQGV4YW1wbGUub3JnIn19.KpSXuiEVGuEQVLy4Jqw-wIPXBb3HhEWN4iwXVaJba9o"

  /// Not before 2027.
  static let early =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDA"
    + "sInVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifSwibmJmIjoxODAwMDAwMDAwfQ.xG3GfBBQlwMfNqSwYppn"
    + "GEMyCItMVx8jwd-bm7bCPmE"

  /// For another.
  static let foreign =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOlsib3RoZXIiXSwic3ViIjoiYW5uIiwiZXhwIjo0MTAyNDQ"
    + "0ODAwLCJ1c2VyIjp7ImVtYWlsIjoiYW5uQGV4YW1wbGUub3JnIn19.NuPCwiu03HJs3HoArlXjjTHvku5Mor_bijTsol"
    + "0gykM"

  /// Without `sub`.
  static let nobody =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJleHAiOjQxMDI0NDQ4MDAsInVzZXIiOnsiZW1"
    + "haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.-iBsGkPHb7RAZj6WT3G-zSudPgqT8IPaWTii2wzowfw"

  /// Without an address.
  static let unknown =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJhcHAiLCJleHAiOjQxMDI0NDQ4MDAsInN1YiI6ImFubiJ"
    + "9.z6eVK1vdaKZ2tACWmfxHfxOybxG11qtImeY_KFBosq0"

  /// With the algorithm `none`.
  static let none =
    "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJhdWQiOiJhcHAiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAs"
    + "InVzZXIiOnsiZW1haWwiOiJhbm5AZXhhbXBsZS5vcmcifX0.AA"
}
