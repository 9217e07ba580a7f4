/// The files of a web site that a gateway serves beside its API.
public protocol HostedFiles: Sendable {
  /// Opens what is at a path, whose segments are those of a URL, decoded; the last one is empty where it ends with `/`. Nil:
  /// there is nothing, or nothing that may be shown.
  func entry(at path: [String]) async -> HostedEntry?
}

/// Something at a path of a web site.
public enum HostedEntry: Sendable {
  case file(any HostedFile)
  /// Its page is at the path with `/` behind it.
  case folder
}

/// A file that is open: it stays as it is, whatever takes its place meanwhile.
public protocol HostedFile: Sendable {
  /// The name, by whose extension the media type is known.
  var name: String { get }
  /// In bytes.
  var size: Int { get }
  /// Another text for each state of the file, of letters and digits.
  var state: String { get }
  /// Reads bytes that it has; fewer where the file has been cut.
  func read(_ range: Range<Int>) async throws -> [UInt8]
}

/// A web site, and its page for paths at which there is nothing.
public struct HostedSite: Sendable {
  public var files: any HostedFiles
  /// The path of that page, for sites whose paths are made in the browser; nil: such paths are 404.
  public var fallback: [String]?

  public init(_ files: any HostedFiles, fallback: [String]? = nil) {
    self.files = files
    self.fallback = fallback
  }
}
