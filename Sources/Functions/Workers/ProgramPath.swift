internal import Glibc

/// Finds programs as a shell does.
enum ProgramPath {
  /// Returns the path of a program: names with a slash are paths from `directory`, others are looked for in PATH; nil
  /// if there is none.
  static func find(_ name: String, from directory: String) -> String? {
    if name.contains("/") {
      let path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
      return TextFile.isExecutable(path) ? path : nil
    }
    for folder in searched.split(separator: ":") {
      let path = "\(folder)/\(name)"
      if TextFile.isExecutable(path) { return path }
    }
    return nil
  }

  private static var searched: String { variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin" }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The part of the gateway's environment that workers see. The rest holds keys that are none of their business.
  static var environment: [String] {
    let names = ["HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]
    return ["PATH=\(searched)"] + names.compactMap { name in variable(name).map { "\(name)=\($0)" } }
  }
}
