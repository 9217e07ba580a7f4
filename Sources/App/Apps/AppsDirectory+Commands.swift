import GatehouseAPI

extension AppsDirectory {
  /// Has what is wrong with an app be an error of the command line.
  func telling<Result>(
    _ name: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as AppError {
      let expected =
        switch error {
        case .exists: "a name that no app has"
        case .tooMany(let limit): "no more than \(limit) apps (apps.limit)"
        default: AppName.rule
        }
      throw CommandError.invalidValue(name: "NAME", text: name, expected: expected)
    }
  }
}
