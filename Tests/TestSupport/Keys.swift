/// Keys made by `openssl genpkey`, for tests only.
public enum Keys {
  public static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCgQT+xYw/RRUgh
    Birvdp6SRX5DRpwxReCFvI4GwwtRyAOguoOLvXzs4dXH5aNOqAQ1fdiy9aDfwxuR
    sfg/JND7Mv551fVxVyO0wI09imPdiBBtCq8VjCsbH3RFdFWNLw1XcfxLVfFEnFF1
    ChaGQuwGv8AvW5mLWnI23GM8doa2lj12Fp0146ybfhGmb9OJdJpsSQBR1A3qnpjO
    /+UYbmYQog1qJsqpIHZoPErgYJiA5Z5rQ8TlV19hsFC6jZbI9jA6b4aPEkOf+tsm
    UEXpFe5Mc7VAW+gWcCFDYsS7XeiYF0BztKTEazptBvKtVhfu7hkPgskmGD8lt3Kk
    4UIk29tBAgMBAAECggEAOGee3nWqjJLhF1aPaCeNGpjBHzbMJP+eThQWvUSLSGao
    +DqNsHKqdMnsL+aguz+h853u1tZjoD6RBo/oe3ke4TuKnCF1uUXdeHJJhD6gdcm9
    VlPrWh8y0OIaT5PpxL6p6HxjO7TtLaQDe7loQitt3dZB86k++vCDwNGDUDW7pqne
    LL6rcJHSxg+RtjWEWcNWCFE6+Vum1GEkuZrNwBbWJMlvR6cOySXwV4Ty5Yl9ok74
    S/xxgn/3Ga07g0FMqBprYOfJP3nx6ysewbEMwfRf0iObg+kquYz5VNPYiSSqbzGH
    4QBWwAEKQQpSi5HvMC/wItAr608pe1EeVQHG/KkL7QKBgQDO4/7wxM6J+OAVVK5h
    Gi45epLaS5fxVqXydP4UhTEfuvjct1YTMgUVFsNIJ9Wgq0KDOpnqcLYocAVi7gwN
    OmSeOeJ4nit01AiBxmTlvCtIPmMAVia9wr1j5n655aWPKMSyyh8YmJJ6dijpa3sX
    N3Cs+PCrErqflei2fgE/o8kjHwKBgQDGS12wgxeEf+YA9fjGpNwsDfEyxQEZ1iCc
    6O8IZlojab33E3+NJVmrGr6liSklwr3QCMHxG4G2J4uYywVckmKymtLtKlfe9Emx
    KayOMCq4cyzjfOUV4FNdJ9QrAiTCpX4ig/K1Mnl98NiDjz+TlnXnvCPWrRtb26U1
    smkJxMKVnwKBgDJi8p7+v3J4y1JGmmWJs8JJ6OQDTxD20lmXRp4Gxiz9I0jV2b+5
    CeXV8l9rXCrSKtO8/OlM5AA7MASlBwhdtU2XuWE43EqKrTu17rLIvh3NG91kHfFP
    MULYSvrJRCX2ftkwQpyB5AKxLkuS4pqH5QgrZKm1WQAuyUtQqsst/3lvAoGBAIUa
    W8Y7CJM5ItOsSBRW3y93IFta39VO5U9OD/1Mbt7sgMYTwX+l/Z2b8zK8cfFV2gGF
    j2FffF8gBlVGmc+8tyF6SXFHBfqzca/I8Hn1HQf4z73XvRJFJNAYBxPjeXdqjNNw
    TH+SZPjDrSIKCrvvuC8YG9pjEkVDl48GtfkHqTGzAoGBAL5azgvRpIk9Icc+2ci2
    1RKiTwW4itQe3E5QFewaax7KK8jNQWncYpx68fWJCGayKjv/Hjiou3XDd9iu5ESn
    A1gbbvXOPm4ce9ZbF0lXltJxZMvu3jrfMfbNJVhTFFx2nw/yRhV5VYgvxKnjOPz5
    pxq4dNhvJQik7OyeT7cL69/J
    -----END PRIVATE KEY-----
    """

  public static let rsaPublic = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoEE/sWMP0UVIIQYq73ae
    kkV+Q0acMUXghbyOBsMLUcgDoLqDi7187OHVx+WjTqgENX3YsvWg38MbkbH4PyTQ
    +zL+edX1cVcjtMCNPYpj3YgQbQqvFYwrGx90RXRVjS8NV3H8S1XxRJxRdQoWhkLs
    Br/AL1uZi1pyNtxjPHaGtpY9dhadNeOsm34Rpm/TiXSabEkAUdQN6p6Yzv/lGG5m
    EKINaibKqSB2aDxK4GCYgOWea0PE5VdfYbBQuo2WyPYwOm+GjxJDn/rbJlBF6RXu
    THO1QFvoFnAhQ2LEu13omBdAc7SkxGs6bQbyrVYX7u4ZD4LJJhg/JbdypOFCJNvb
    QQIDAQAB
    -----END PUBLIC KEY-----
    """

  /// RSA, 1,024 bits.
  public static let weak = """
    -----BEGIN PUBLIC KEY-----
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDEXTS7oyEjE0JW7dSNvBx1tqtc
    QaWjt0sXpMFWGr/EU0iUNrqZ+yOYROtvSiyJdbe8znRtYEdXoFudr8U37aCoFD4S
    3wVnvAsviMZxVOEWyFVwasz8G7j0awSCxXgUXtNVSa10e35f3gAJctsFBhfU2h5k
    5g4kxvh88adUw1SICwIDAQAB
    -----END PUBLIC KEY-----
    """

  /// On the curve P-256.
  public static let p256Public = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaKft+dDXJmUzjKdxzeIUGWelOizU
    LEmVuCZM6Eg9Jl4R7xFrJyLSOf1z0E6NkeQPSXswkKeXNK/trUFeNX46UQ==
    -----END PUBLIC KEY-----
    """

  /// On the curve P-384.
  public static let p384 = """
    -----BEGIN PUBLIC KEY-----
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEBIhxOp4n7vUHzoZriQtkfbnKfzw1pxNp
    zG5LPJpBQrAzhtwWBAZjjjj2lw/nFWvhgulijNvC5nqOYvzIN+NX2jlGYwaS7Ron
    RZ/vw3Z9SixnP0T8eBfej5AU+lS4P9fr
    -----END PUBLIC KEY-----
    """

  public static let ed25519 = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAcXguuCrjYUCq1ATdCu5i4mP83a6x74F2f74cpFBmwyg=
    -----END PUBLIC KEY-----
    """

  /// The signature of `header.payload` by ``rsa``, made by `openssl dgst -sha256 -sign`.
  public static let signature: [UInt8] = [
    0x09, 0x2a, 0x57, 0x79, 0x9c, 0x82, 0x76, 0xe6, 0x1b, 0x84, 0xe4, 0x90, 0xc1, 0x0d, 0x02, 0xcc,
    0xab, 0x38, 0x5e, 0x58, 0x90, 0xdb, 0xef, 0xb9, 0x4e, 0x15, 0x72, 0x6e, 0x24, 0xe3, 0xf4, 0x1e,
    0x23, 0xf7, 0x4f, 0xf2, 0xf1, 0xda, 0x60, 0x81, 0x26, 0xec, 0x1f, 0x51, 0x78, 0xa4, 0x9e, 0x59,
    0x5b, 0x9c, 0x00, 0x2d, 0x6c, 0xa3, 0xcf, 0xde, 0x97, 0xb5, 0x55, 0x7d, 0xf5, 0xb2, 0xdb, 0x1b,
    0x57, 0xb4, 0xe2, 0xd2, 0x84, 0x3f, 0x12, 0xb5, 0x6a, 0x9a, 0x4a, 0x34, 0x77, 0xd4, 0x27, 0x95,
    0x13, 0x2b, 0x88, 0xb2, 0xb9, 0xb2, 0x8e, 0xc6, 0xfd, 0x8e, 0x8a, 0xbb, 0x37, 0x1c, 0x37, 0xf8,
    0xb8, 0x09, 0xbd, 0x2d, 0x2a, 0xb3, 0xf1, 0xa9, 0xf6, 0xad, 0x37, 0x5e, 0xf9, 0x08, 0x7c, 0x88,
    0x93, 0xab, 0xe1, 0x33, 0x9e, 0xa0, 0xba, 0xd0, 0x09, 0xeb, 0x40, 0x92, 0xa2, 0xdc, 0xac, 0xda,
    0xad, 0x32, 0x98, 0xe6, 0x68, 0x2d, 0xf2, 0x8f, 0x15, 0x1f, 0xf8, 0xc0, 0x47, 0xd0, 0x8e, 0x75,
    0x89, 0x22, 0x54, 0x28, 0x23, 0x18, 0x16, 0xfd, 0x13, 0x34, 0x0f, 0x5e, 0xaf, 0xd2, 0x0c, 0x3d,
    0x69, 0x02, 0x46, 0x64, 0xcf, 0xa4, 0x00, 0x14, 0xc0, 0x29, 0x25, 0x03, 0xc2, 0x83, 0x63, 0x25,
    0x98, 0x46, 0xe0, 0xed, 0x27, 0x86, 0x9f, 0xb3, 0x06, 0xdb, 0x96, 0xbf, 0xba, 0x69, 0x5f, 0x77,
    0x32, 0x6c, 0x3f, 0x77, 0x80, 0x1c, 0xc3, 0xba, 0xf7, 0xe4, 0x8f, 0x04, 0xe0, 0x7d, 0x9b, 0x79,
    0xfc, 0x38, 0x0d, 0x45, 0x83, 0x2c, 0x7f, 0x6e, 0x17, 0xbc, 0x50, 0x98, 0x8b, 0x40, 0x4c, 0xdb,
    0xb9, 0xe7, 0x77, 0xd9, 0xa9, 0x89, 0x09, 0xb8, 0x3f, 0x09, 0xc5, 0xd5, 0x00, 0xcc, 0x5f, 0x9e,
    0x9c, 0x3a, 0x8d, 0x73, 0x2c, 0x57, 0x84, 0x7d, 0x8c, 0x3b, 0x28, 0xad, 0xd0, 0x71, 0x1e, 0x83,
  ]
}
