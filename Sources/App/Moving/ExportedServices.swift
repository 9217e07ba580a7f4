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

    /// The file that says what it is.
    var file: String { "\(folder)/config.json" }
    /// Whether its collections are those of a database, and not files of a data lake or another company's service.
    var isDatabase: Bool { ["", "mongodb", "mongodb-atlas"].contains(type) }

    fileprivate init(_ folder: String, in source: AppFolder) throws {
      self.folder = folder
      var members = Document()
      if case .document(let config)? = try source.json("\(folder)/config.json") { members = config }
      type = if case .string(let type)? = members["type"] { type } else { "" }
      name =
        if case .string(let name)? = members["name"] { name } else {
          String(folder.drop { $0 != "/" }.dropFirst())
        }
    }
  }

  /// The folders in `data_sources`.
  let dataSources: [Service]
  /// The folders in `services`, where the layout before 2021 has the data sources, too.
  let others: [Service]
  /// The name of the one data source that there is here.
  let dataSource: String
  /// The names of all collections, whatever database they are in.
  private(set) var collections: Set<String> = []

  /// Throws ``CommandError`` where a file is no JSON.
  init(_ source: AppFolder) throws {
    dataSources = try source.folders(in: "data_sources").map { try Service("data_sources/\($0)", in: source) }
    others = try source.folders(in: "services").map { try Service("services/\($0)", in: source) }
    let names = (dataSources + others.filter { !$0.type.isEmpty }).filter(\.isDatabase).map(\.name)
    let standard = Settings().dataSource
    dataSource = names.contains(standard) ? standard : names.first ?? standard
    for service in dataSources where service.isDatabase {
      for database in source.folders(in: service.folder) {
        collections.formUnion(source.folders(in: "\(service.folder)/\(database)"))
      }
    }
    for service in others where service.isDatabase {
      for file in source.paths(below: "\(service.folder)/rules") {
        if case .document(let rules)? = try source.json(file), case .string(let name)? = rules["collection"] {
          collections.insert(name)
        }
      }
    }
  }

  /// Returns what is to be said of the name of a data source; nil: nothing.
  func note(on service: Service) -> String? {
    if service.name != dataSource {
      return
        "the one data source is “\(dataSource)”: clients and functions that ask for “\(service.name)” have to ask for it by that name"
    }
    if service.name == Settings().dataSource { return nil }
    return
      "clients and functions ask for the data source “\(service.name)”: give the setting dataSource that name (--data-source \(service.name))"
  }
}
