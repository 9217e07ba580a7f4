import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseTriggers

/// The ways in which users log in, and their custom data.
extension AppImport {
  mutating func takeProviders() throws {
    var providers: [(name: String, value: Value, file: String, path: [JSONPlace.Step])] = []
    let file = "auth/providers.json"
    if case .document(let document)? = try source.json(file) {
      result.see(file)
      providers = document.elements.map { ($0.key, $0.value, file, [.name($0.key)]) }
    }
    for file in source.paths(below: "auth_providers") {
      result.see(file)
      guard case .document(let provider)? = try source.json(file), case .string(let name)? = provider["name"]
      else {
        continue
      }
      providers.append((name, .document(provider), file, []))
    }
    var taken = Document()
    for (name, value, file, path) in providers {
      do throws(ProvidersError) {
        _ = try Providers(notation: .document(Document([.init(key: name, value: value)]))) { _ in nil }
        taken.append(name, value)
        result.add(.taken, "provider \(name)", in: file, at: path)
      } catch {
        switch error {
        case .unknownSecret(let secret):
          taken.append(name, value)
          result.add(
            .changed, "provider \(name) needs the secret auth/secrets/\(secret), which exports do not have",
            in: file, at: path)
        default:
          result.refuse(
            "provider \(name): \(CommandError.providers(path: file, error).text)", in: file, at: path)
        }
      }
    }
    if !taken.elements.isEmpty { result.write(.document(taken), to: "auth/providers.json") }
  }

  mutating func takeCustomData() throws {
    let file = "auth/custom_user_data.json"
    var found: (value: Value, file: String, path: [JSONPlace.Step])?
    if let value = try source.json(file) { found = (value, file, []) }
    for older in ["config.json", "stitch.json"] {
      if case .document(let config)? = try source.json(older), let value = config["custom_user_data_config"] {
        found = found ?? (value, older, [.name("custom_user_data_config")])
      }
    }
    result.see(file)
    guard var found else { return }
    takeUserCreation(&found.value, in: found.file)
    do throws(ConfigurationError) {
      guard let taken = try CustomDataSource.source(notation: found.value) else { return }
      result.write(found.value, to: file)
      result.add(.taken, "custom data of users: \(taken.objectType).\(taken.property)", in: found.file)
      if schema[taken.objectType] == nil {
        result.add(
          .changed, "it is in the class “\(taken.objectType)”, which is not there", in: found.file,
          at: found.path + [.name("collection_name")])
      }
    } catch {
      result.refuse(error, in: found.file)
    }
  }

  /// Makes a trigger of the function that is called for new users.
  private mutating func takeUserCreation(_ value: inout Value, in file: String) {
    let member = "on_user_creation_function_name"
    guard case .document(var members) = value, members["enabled"] == .bool(true),
      case .string(let function)? = members[member], !function.isEmpty
    else { return }
    members.elements.removeAll { $0.key == member }
    value = .document(members)
    // The function takes the user, and a trigger gives an event.
    let caller = "\(function)-new-user"
    let name = String(decoding: Value.string(function).plainJSON, as: UTF8.self)
    result.files["functions/\(caller).js"] = Array(
      "exports = event => context.functions.execute(\(name), event.user);\n".utf8)
    functions.append(["name": .string(caller), "private": .bool(true), "run_as_system": .bool(true)])
    let action: Document = ["FUNCTION": ["config": ["function_name": .string(caller)]]]
    let trigger: Document = [
      "name": .string(member), "type": .string("AUTHENTICATION"),
      "config": [
        "operation_type": .string(WatchedLogins.Operation.create.rawValue), "providers": .array([]),
      ],
      "event_processors": .document(action),
    ]
    result.write(.document(trigger), to: "triggers/\(member).json")
    result.add(
      .changed,
      "a trigger calls “\(function)” for new users by “\(caller)”, and logins do not wait for it",
      in: file, at: [.name(member)])
  }
}
