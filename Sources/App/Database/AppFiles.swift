import GatehouseAPI
import GatehouseBSON
import GatehouseTriggers
import Glibc

/// A part of an app that files of the data directory say, in App Services' layout, and that is taken anew when they change: a
/// secret that they name may be what has changed.
struct AppFiles<Part: Sendable>: WatchedFiles {
  /// The part, as messages name it: “triggers”.
  private let name: String
  private let auth: AuthFolder
  private let stampOf: @Sendable (AuthFolder) -> FileStamp
  private let readAll: @Sendable (AuthFolder) throws -> Part
  private let use: @Sendable (Part) async throws -> Void
  /// Told of files that are of no use.
  private let warn: @Sendable (String) -> Void

  fileprivate init(
    _ name: String, _ auth: AuthFolder, stamp: @escaping @Sendable (AuthFolder) -> FileStamp,
    read: @escaping @Sendable (AuthFolder) throws -> Part,
    use: @escaping @Sendable (Part) async throws -> Void, warn: @escaping @Sendable (String) -> Void
  ) {
    (self.name, self.auth, self.warn) = (name, auth, warn)
    (stampOf, readAll, self.use) = (stamp, read, use)
  }

  var stamp: FileStamp { stampOf(auth) }

  /// Reads all files. Throws ``CommandError`` where one is none of its kind.
  func read() throws -> Part { try readAll(auth) }

  func reload() async {
    do { try await use(try read()) } catch {
      warn("\(FailureText.of(error)) (the old \(name) stay)")
    }
  }
}

extension AppFiles where Part == [Trigger] {
  /// The triggers of the folder `triggers`, a file each, which run from the first time that they are taken.
  ///
  init(
    triggersIn dataDirectory: String, _ triggers: AppTriggers,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) }
  ) {
    let folder = DataFile.triggers.path(in: dataDirectory)
    self.init(
      "triggers", AuthFolder(dataDirectory),
      stamp: { FileStamp(of: [], filesIn: folder, $0.secrets) },
      read: { try Trigger.all(in: folder, secret: $0.secret, warn) },
      use: triggers.use, warn: warn)
  }
}

extension AppFiles where Part == [HTTPEndpoint] {
  /// The HTTPS endpoints of `http_endpoints/config.json`; none where there is no file.
  init(
    endpointsIn dataDirectory: String, _ endpoints: HTTPEndpoints,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) }
  ) {
    let path = "\(DataFile.endpoints.path(in: dataDirectory))/config.json"
    self.init(
      "endpoints", AuthFolder(dataDirectory), stamp: { FileStamp(of: [path], filesIn: $0.secrets) },
      read: { auth in
        guard access(path, F_OK) == 0 else { return [] }
        let notation = try JSONFile.value(at: path)
        do throws(ConfigurationError) {
          return try HTTPEndpoint.endpoints(notation: notation, secret: auth.secret)
        } catch {
          throw CommandError.of(error, in: path)
        }
      },
      use: { all in
        for endpoint in all {
          guard case .lacking(let secret) = endpoint.validation else { continue }
          warn("the endpoint \(endpoint.route) takes no request: auth/secrets/\(secret) is not there")
        }
        endpoints.use(all)
      }, warn: warn)
  }
}

extension AppFiles where Part == DataAPIConfiguration {
  /// The file `http_endpoints/data_api_config.json`; without it the Data API is served.
  init(
    dataAPIIn dataDirectory: String, _ endpoints: HTTPEndpoints,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) }
  ) {
    let path = "\(DataFile.endpoints.path(in: dataDirectory))/data_api_config.json"
    self.init(
      "settings of the Data API", AuthFolder(dataDirectory), stamp: { _ in FileStamp(of: [path]) },
      read: { _ in
        guard access(path, F_OK) == 0 else { return DataAPIConfiguration() }
        let notation = try JSONFile.value(at: path)
        do throws(ConfigurationError) {
          return try DataAPIConfiguration(notation: notation)
        } catch {
          throw CommandError.of(error, in: path)
        }
      }, use: { endpoints.use($0) }, warn: warn)
  }
}

extension AppFiles where Part == Set<String> {
  /// The names of the data sources in the folder `data_sources`; the setting's name alone where that is given.
  init(
    dataSourcesOf settings: Settings, _ names: DataSourceNames,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) }
  ) {
    let (folder, given) = (DataSourcesFolder(settings.data), settings.dataSource)
    self.init(
      "data sources", AuthFolder(settings.data), stamp: { _ in folder.stamp },
      read: { _ in given.isEmpty ? Set(try folder.databases().map(\.name)) : [given] },
      use: { names.use($0.isEmpty ? [DataSourceNames.standard] : $0) }, warn: warn)
  }
}

extension Trigger {
  /// Reads the triggers of a folder, of which no two have one name; those whose secret is not there are left out, and told. Throws
  /// ``CommandError``.
  fileprivate static func all(
    in folder: String, secret: (String) -> String?, _ warn: (String) -> Void
  ) throws -> [Trigger] {
    var triggers: [Trigger] = []
    for name in try FolderContents.names(in: folder).sorted() where name.hasSuffix(".json") {
      let path = "\(folder)/\(name)"
      guard case .document(let document) = try JSONFile.value(at: path) else {
        throw CommandError.configuration(
          path: path, ConfigurationError(at: [String](), "Here an object should stand."))
      }
      do throws(ConfigurationError) {
        var lacking: String?
        let trigger = try Trigger(notation: document) { name in
          let text = secret(name) ?? ""
          if text.isEmpty { lacking = name }
          return text.isEmpty ? name : text
        }
        if triggers.contains(where: { $0.name == trigger.name }) {
          throw ConfigurationError(at: ["name"], "Another file has a trigger of that name.")
        }
        if let lacking {
          warn("the trigger \(trigger.name) is not called: auth/secrets/\(lacking) is not there")
          continue
        }
        triggers.append(trigger)
      } catch {
        throw CommandError.of(error, in: path)
      }
    }
    return triggers
  }
}
