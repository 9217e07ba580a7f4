/// The files by which a server proves who it is, in PEM.
public struct Certificate: Hashable, Sendable {
  /// The certificate, followed by those that lead to the root.
  public var chainFile: String
  public var keyFile: String

  public init(chainFile: String, keyFile: String) {
    self.chainFile = chainFile
    self.keyFile = keyFile
  }
}
