import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseTriggers

/// Endpoints, triggers and values.
extension AppImport {
  /// An incoming webhook, which HTTPS endpoints replaced: its function, and an endpoint `/SERVICE/NAME`.
  private mutating func takeWebhook(_ name: String, of service: String, in folder: String) throws {
    let file = "\(folder)/config.json"
    guard case .document(let config)? = try source.json(file), let code = source.files["\(folder)/source.js"]
    else {
      return result.refuse("a webhook has config.json and source.js", in: folder, at: [])
    }
    let function = "webhook_\(service)_\(name)"
    var endpoint: Document = [
      "route": .string("/\(service)/\(name)"), "function_name": .string(function),
      "respond_result": config["respond_result"] ?? .bool(true),
    ]
    if case .document(let options)? = config["options"] {
      let method: Value = options["httpMethod"] ?? .string("POST")
      endpoint.append("http_method", method == .string("ANY") ? .string("*") : method)
      if case .string(let validation)? = options["validationMethod"], validation != "NO_VALIDATION" {
        endpoint.append("validation_method", .string(validation))
        endpoint.append("secret_name", .string(function))
        if case .string(let secret)? = options["secret"] {
          result.files["auth/secrets/\(function)"] = Array(secret.utf8)
        }
      }
    } else {
      endpoint.append("http_method", .string("POST"))
    }
    result.files["functions/\(function).js"] = code
    let isOfSystem = config["run_as_authed_user"] != .bool(true)
    functions.append(["name": .string(function), "private": .bool(true), "run_as_system": .bool(isOfSystem)])
    endpoints.append(.document(endpoint))
    result.add(
      .changed,
      "the webhook is the endpoint /app/ID/endpoint/\(service)/\(name): its senders need that address",
      in: file)
  }

  mutating func takeWebhooks() throws {
    for service in services.others {
      for webhook in service.webhooks {
        let folder = "\(service.folder)/incoming_webhooks/\(webhook)"
        try takeWebhook(webhook, of: service.folderName, in: folder)
      }
    }
  }

  private mutating func takeDataAPI() throws {
    let file = "http_endpoints/data_api_config.json"
    guard let notation = try source.json(file) else { return }
    result.see(file)
    do throws(ConfigurationError) {
      let isServed = try DataAPIConfiguration(notation: notation).isServed
      result.copy(file)
      result.add(
        .taken, isServed ? "the Data API, below /app/ID/endpoint/data/v1" : "the Data API is off", in: file)
      guard isServed, case .document(let members) = notation else { return }
      for (name, text) in DataAPIDifferences.all(in: members) {
        result.add(.changed, "“\(name)”: \(text)", in: file, at: [.name(name)])
      }
    } catch {
      result.refuse("the Data API stays off: \(error.text)", in: file, at: error.path)
      result.write(["disabled": .bool(true)], to: file)
    }
  }

  mutating func takeEndpoints() throws {
    let file = "http_endpoints/config.json"
    try takeDataAPI()
    var taken = endpoints
    defer { if !taken.isEmpty { result.write(.array(taken), to: file) } }
    guard case .array(let values)? = try source.json(file) else { return }
    result.see(file)
    for (index, value) in values.enumerated() {
      do throws(ConfigurationError) {
        let endpoints = try HTTPEndpoint.endpoints(notation: .array(taken + [value])) { _ in "a secret" }
        taken.append(value)
        result.add(
          .taken, "endpoint \(endpoints.last?.route ?? "")", in: file, at: [.index(index)])
        if let endpoint = endpoints.last { lookFor(endpoint.function, in: file, at: [.index(index)]) }
        if case .document(let members) = value, case .string(let name)? = members["secret_name"],
          !name.isEmpty
        {
          result.add(
            .changed, "the secret auth/secrets/\(name) is needed, which exports do not have", in: file,
            at: [.index(index), .name("secret_name")])
        }
      } catch {
        result.refuse(error.text, in: file, at: [.index(index)] + error.path.dropFirst())
      }
    }
  }

  /// Tells where a function is not there that something calls.
  private mutating func lookFor(_ function: String, in file: String, at path: [JSONPlace.Step]) {
    guard !functionNames.contains(function) else { return }
    result.add(
      .changed, "it calls the function “\(function)”, which is not there", in: file, at: path)
  }

  mutating func takeTriggers() throws {
    var names: Set<String> = []
    for file in source.paths(below: "triggers") where file.hasSuffix(".json") {
      result.see(file)
      if result.refuseMalformed(file) { continue }
      guard case .document(let document)? = try source.json(file) else {
        result.refuse("a trigger is an object", in: file, at: [])
        continue
      }
      do throws(ConfigurationError) {
        let trigger = try Trigger(notation: document) { _ in "a secret" }
        guard names.insert(trigger.name).inserted else {
          throw ConfigurationError(at: ["name"], "Another file has a trigger of that name.")
        }
        result.copy(file)
        result.add(.taken, "trigger \(trigger.name)", in: file)
        if case .function(let name) = trigger.action { lookFor(name, in: file, at: []) }
        if case .changes(let watched) = trigger.cause, schema[watched.objectType] == nil {
          result.add(.changed, "it watches the class “\(watched.objectType)”, which is not there", in: file)
        }
      } catch {
        result.refuse(error, in: file)
      }
    }
  }

  private static let valueMembers: [String: Set<String>] = [
    "values": ["_id", "id", "name", "value", "from_secret", "private"],
    "environments": ["values"],
  ]

  mutating func takeValues() throws {
    for folder in ["values", "environments"] {
      for file in source.paths(below: folder) where file.hasSuffix(".json") {
        result.see(file)
        if result.refuseMalformed(file) { continue }
        let content = try source.json(file)
        // The server would call no function with it.
        if case .document(let members)? = content,
          result.refuseUnknown(members, AppImport.valueMembers[folder] ?? [], in: file)
        {
          continue
        }
        result.copy(file)
        guard case .document(let value)? = content, value["from_secret"] == .bool(true),
          case .string(let secret)? = value["value"]
        else {
          result.add(.taken, folder == "values" ? "a value" : "an environment", in: file)
          continue
        }
        result.add(
          .changed, "the secret auth/secrets/\(secret) is needed, which exports do not have", in: file)
      }
    }
  }
}
