import FoundationEssentials

/// The folder of data that is not part of the project.
public enum SharedFolder {
  /// The bytes of a file in it; nil where the folder or the file is not there.
  ///
  /// It is `../shared` beside the package, or what `GATEHOUSE_SHARED` says.
  public static func bytes(of path: String) -> [UInt8]? {
    guard let data = try? Data(contentsOf: location.appending(path: path)) else { return nil }
    return [UInt8](data)
  }

  private static var location: URL {
    if let path = ProcessInfo.processInfo.environment["GATEHOUSE_SHARED"] { return URL(filePath: path) }
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return package.deletingLastPathComponent().appending(path: "shared")
  }
}
