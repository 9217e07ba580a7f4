import GatehouseAPI
import GatehouseBSON

/// The data sources and other services of an app that App Services has exported.
struct ExportedServices {
  struct Service {
    /// The folder of its files.
    let folder: String
    /// The name by which functions and clients ask for it.
    let name: String
    /// The type that `config.json` says; empty: none.
    let type: String
    /// The names of its incoming webhooks.
    let webhooks: [String]
    /// Whether its collections are those of a database, and not files of a data lake or another company's service.
    let isDatabase: Bool

    /// The file that says what it is.
    var file: String { "\(folder)/config.json" }
    /// The last part of its folder's path.
    var folderName: String { folder.split(separator: "/").last.map(String.init) ?? name }

    fileprivate init(_ folder: String, in source: AppFolder) throws {
      self.folder = folder
      webhooks = source.folders(in: "\(folder)/incoming_webhooks")
      var members = Document()
      if case .document(let config)? = try source.json("\(folder)/config.json") { members = config }
      type = if case .string(let type)? = members["type"] { type } else { "" }
      name =
        if case .string(let name)? = members["name"], !name.isEmpty { name } else {
          String(folder.drop { $0 != "/" }.dropFirst())
        }
      isDatabase = DataSourceConfiguration.isDatabase(type)
    }

    /// Has the server answer to the name of a data source.
    func take(_ result: inout ImportResult) throws {
      let target = "\(DataFile.dataSources.name)/\(folderName)/config.json"
      let known: Document = [
        "name": .string(name), "type": .string(type.isEmpty ? DataSourceConfiguration.usualType : type),
      ]
      result.see(file)
      if let notation = try result.source.json(file) {
        do throws(ConfigurationError) {
          _ = try DataSourceConfiguration(notation: notation)
          let kept = Service.withoutCredentials(notation, in: file, &result)
          if kept == notation { result.copy(file, to: target) } else { result.write(kept, to: target) }
        } catch {
          result.refuse(error, in: file)
          result.write(.document(known), to: target)
        }
      } else {
        result.write(.document(known), to: target)
      }
      result.add(
        .taken, "data source “\(name)”, by which name clients and functions ask for the data", in: file)
    }

    /// The members of `config` that are no credentials of the cluster that the data was in.
    private static let harmless: Set<String> = [
      "clusterName", "readPreference", "readPreferenceTagSets", "wireProtocolEnabled",
    ]

    /// Whether a member of `config` is no credential. The name of a cluster may be its address, with a password in it.
    private static func isHarmless(_ member: Document.Element) -> Bool {
      guard harmless.contains(member.key) else { return false }
      guard case .string(let text) = member.value else { return true }
      return !text.contains("://") && !text.contains("@")
    }

    /// Returns the notation without what may be credentials of the cluster that the data was in, which nobody needs here.
    private static func withoutCredentials(_ notation: Value, in file: String, _ result: inout ImportResult)
      -> Value
    {
      guard case .document(let members) = notation else { return notation }
      func tell(_ path: [String]) {
        let text = "is not kept: it may be a credential of the cluster that the data was in"
        result.add(
          .changed, "“\(path.joined(separator: "."))” \(text)", in: file, at: path.map { .name($0) })
      }
      var kept: [Document.Element] = []
      for var element in members.elements {
        switch (element.key, element.value) {
        case ("config", .document(let config)):
          for member in config.elements where !isHarmless(member) { tell(["config", member.key]) }
          element.value = .document(Document(config.elements.filter(isHarmless)))
        case ("config", _), ("secret_config", _):
          tell([element.key])
          continue
        default: break
        }
        kept.append(element)
      }
      return .document(Document(kept))
    }

    /// Tells that it is not there, with all its files.
    func refuse(_ result: inout ImportResult) {
      result.see(result.source.paths(below: folder))
      result.refuse("services of type “\(type)” are not served", in: file, at: [.name("type")])
    }
  }

  /// The folders in `data_sources`.
  let dataSources: [Service]
  /// The folders in `services`, where the layout before 2021 has the data sources, too.
  let others: [Service]
  /// The names of the data sources that there are here.
  let dataSourceNames: Set<String>
  /// The names of all collections, whatever database they are in.
  private(set) var collections: Set<String> = []

  /// Throws ``CommandError`` where a file is no JSON.
  init(_ source: AppFolder) throws {
    dataSources = try source.folders(in: "data_sources").map { try Service("data_sources/\($0)", in: source) }
    others = try source.folders(in: "services").map { try Service("services/\($0)", in: source) }
    let names = Set(
      (dataSources + others.filter { !$0.type.isEmpty }).filter(\.isDatabase).map(\.name))
    dataSourceNames = names.isEmpty ? [DataSourceNames.standard] : names
    for service in dataSources where service.isDatabase {
      for database in source.folders(in: service.folder) {
        collections.formUnion(source.folders(in: "\(service.folder)/\(database)"))
      }
    }
    for service in others where service.isDatabase {
      for file in source.paths(below: "\(service.folder)/rules") {
        // A file that is no JSON is refused where its rules are taken.
        if case .document(let rules)? = try? source.json(file), case .string(let name)? = rules["collection"]
        {
          collections.insert(name)
        }
      }
    }
  }
}
