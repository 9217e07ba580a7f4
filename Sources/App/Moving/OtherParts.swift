/// The parts of an app that have no counterpart.
enum OtherParts {
  private static let folders = [
    "sync": "Device Sync is not served", "graphql": "GraphQL is not served",
    "hosting": "files are served by another server, such as nginx",
    "log_forwarders": "the access log and traces are settings", "auth": "there is no such file",
  ]

  /// Why a file is not taken.
  static func text(for file: String) -> String {
    let folder = file.split(separator: "/").first.map(String.init) ?? ""
    return folders[folder] ?? "there is no such part of an app"
  }

  /// Whether a file is an archive of packages.
  static func isPackages(_ file: String) -> Bool { file.hasPrefix("functions/node_modules") }

  /// The names of the services that a function asks for, but for those that are there.
  static func missingServices(in code: String, dataSources: Set<String>) -> [String] {
    code.matches(of: /services\s*\.\s*get\(\s*["'`]([^"'`]+)["'`]/).map { String($0.1) }
      .filter { $0 != "http" && !dataSources.contains($0) }
  }
}
