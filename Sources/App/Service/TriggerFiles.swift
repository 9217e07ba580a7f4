import GatehouseBSON
import GatehouseTriggers

/// Runs the triggers that the files of the folder `triggers` say, in App Services' layout, while the server runs.
struct TriggerFiles: WatchedFiles {
  private let folder: String
  private let auth: AuthFolder
  private let runner: TriggerRunner
  /// Told of files that are of no use.
  private let warn: @Sendable (String) -> Void

  init(
    _ dataDirectory: String, _ runner: TriggerRunner,
    warn: @escaping @Sendable (String) -> Void = { Service.warn($0) }
  ) {
    folder = "\(dataDirectory)/triggers"
    auth = AuthFolder(dataDirectory)
    self.runner = runner
    self.warn = warn
  }

  var stamp: FileStamp { FileStamp(of: [], filesIn: folder) }

  /// Reads all files. Throws ``CommandError`` where one is no trigger, or two have one name.
  func triggers() throws -> [Trigger] {
    var triggers: [Trigger] = []
    for name in try FolderContents.names(in: folder).sorted() where name.hasSuffix(".json") {
      let path = "\(folder)/\(name)"
      guard case .document(let document) = try JSONFile.value(at: path) else {
        throw CommandError.configuration(
          path: path, ConfigurationError(at: [String](), "Here an object should stand."))
      }
      do throws(ConfigurationError) {
        let trigger = try Trigger(notation: document, secret: auth.secret)
        if triggers.contains(where: { $0.name == trigger.name }) {
          throw ConfigurationError(at: ["name"], "Another file has a trigger of that name.")
        }
        triggers.append(trigger)
      } catch {
        throw CommandError.of(error, in: path)
      }
    }
    return triggers
  }

  func reload() async {
    do {
      try await runner.use(try triggers())
    } catch {
      warn("\(FailureText.of(error)) (the old triggers stay)")
    }
  }
}
