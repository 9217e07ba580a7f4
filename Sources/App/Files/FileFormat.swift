import GatehouseBSON

/// A file of the data directory that people write, with its JSON Schema (draft 2020-12).
enum FileFormat: String, CaseIterable {
  case settings, schema, roles, providers, functions, endpoints, triggers, value, environment, migration
  case dataSource = "data_source"

  /// The name of the file with its JSON Schema.
  var fileName: String { "\(rawValue).schema.json" }

  /// The JSON Schema. That of the settings is made of their table.
  var schema: [UInt8] {
    switch self {
    case .settings: FileFormat.ofSettings.plainJSON + [UInt8(ascii: "\n")]
    case .schema: PackageResources.schema_schema_json
    case .roles: PackageResources.roles_schema_json
    case .providers: PackageResources.providers_schema_json
    case .functions: PackageResources.functions_schema_json
    case .endpoints: PackageResources.http_endpoints_schema_json
    case .triggers: PackageResources.trigger_schema_json
    case .value: PackageResources.value_schema_json
    case .environment: PackageResources.environment_schema_json
    case .migration: PackageResources.migration_schema_json
    case .dataSource: PackageResources.data_source_schema_json
    }
  }

  private static var ofSettings: Value {
    var tree = SchemaTree()
    for setting in Settings.table {
      tree.insert(setting, at: setting.name.split(separator: ".").map(String.init)[...])
    }
    var document: Document = [
      "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "title": .string("gatehouse.json"),
      "description": .string("Settings. Comments begin with // and end with their line."),
    ]
    document.elements += tree.document(beside: ["$schema": ["type": .string("string")]]).elements
    return .document(document)
  }
}

/// The settings below a name.
private struct SchemaTree {
  private var members: [(name: String, value: Node)] = []

  private enum Node {
    case setting(Setting)
    case group(SchemaTree)
  }

  mutating func insert(_ setting: Setting, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    guard path.count > 1 else { return members.append((name, .setting(setting))) }
    // A name that is a setting by itself cannot be that of a group as well: `audit.days` is written as it stands.
    if hasSetting(name) { return members.append((path.joined(separator: "."), .setting(setting))) }
    let index = members.firstIndex { member in
      if case .group = member.value { member.name == name } else { false }
    }
    var group = SchemaTree()
    if let index, case .group(let known) = members[index].value { group = known }
    group.insert(setting, at: path.dropFirst())
    if let index { members[index].value = .group(group) } else { members.append((name, .group(group))) }
  }

  private func hasSetting(_ name: String) -> Bool {
    members.contains { member in if case .setting = member.value { member.name == name } else { false } }
  }

  func document(beside others: Document = [:]) -> Document {
    var properties = others
    for (name, node) in members {
      switch node {
      case .setting(let setting): properties.append(name, setting.jsonSchema)
      case .group(let group): properties.append(name, .document(group.document()))
      }
    }
    return [
      "type": .string("object"), "properties": .document(properties), "additionalProperties": .bool(false),
    ]
  }
}

extension Setting {
  fileprivate var jsonSchema: Value {
    var document: Document = ["description": .string(help)]
    switch kind {
    case .flag: document.append("type", .string("boolean"))
    case .number(let least, let most):
      document.append("type", .string("integer"))
      document.append("minimum", .int64(Int64(least)))
      document.append("maximum", .int64(Int64(most)))
    case .text:
      document.append("type", .array([.string("string"), .string("array")]))
      document.append("items", ["type": .string("string")])
    }
    return .document(document)
  }
}
