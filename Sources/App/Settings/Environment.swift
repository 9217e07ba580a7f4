@preconcurrency import Glibc

/// The variables that the process was started with.
public struct Environment: Sendable {
  /// Name and value, in the order of the system.
  public let variables: [(name: String, value: String)]

  public init(_ variables: [(name: String, value: String)]) {
    self.variables = variables
  }

  /// The variables of this process.
  ///
  /// `environ` is a mutable global of C's: read it before anything that could change it runs.
  public static var current: Environment {
    var variables: [(name: String, value: String)] = []
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables.append((String(parts[0]), String(parts[1]))) }
      entry += 1
    }
    return Environment(variables)
  }
}
