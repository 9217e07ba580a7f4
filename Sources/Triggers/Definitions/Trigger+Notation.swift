public import GatehouseBSON
import GatehouseDocuments

extension Trigger {
  /// Reads what App Services writes to `triggers/NAME.json`. Throws ``ConfigurationError``.
  ///
  /// Members that only concern App Services' own clusters are let be; others that mean nothing here are refused.
  /// `secret` returns the text of a secret by its name, or nil.
  public init(
    notation: Document, secret: (String) -> String? = { _ in nil }
  ) throws(ConfigurationError) {
    let whole = ConfigurationMembers(notation, at: [])
    try whole.refuseOthers(than: [
      "id", "_id", "name", "type", "disabled", "config", "event_processors", "function_name", "function_id",
      "last_modified", "$schema",
    ])
    let name = try whole.text("name")
    guard !name.isEmpty, name.utf8.count <= 128, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x2f })
    else {
      throw ConfigurationError(at: ["name"], "A name has 1 to 128 bytes, without “/” and control characters.")
    }
    let config = try whole.members("config") ?? ConfigurationMembers(Document(), at: [.name("config")])
    let cause: Cause
    switch try whole.text("type") {
    case "DATABASE": cause = .changes(try WatchedChanges(config))
    case "SCHEDULED":
      try config.refuseOthers(than: ["schedule", "schedule_type", "skip_catchup_events"])
      guard let schedule = Schedule(try config.text("schedule")) else {
        throw ConfigurationError(
          at: ["config", "schedule"],
          "A schedule has five fields, such as “*/15 * * * *” (minute, hour, day, month, day of the week).")
      }
      cause = .time(schedule)
    case "AUTHENTICATION":
      cause = .authentication(try WatchedLogins(config))
    default: throw ConfigurationError(at: ["type"], "The type is DATABASE, SCHEDULED or AUTHENTICATION.")
    }
    self.init(name, on: cause, does: try Trigger.action(of: whole, secret))
    isDisabled = try whole.flag("disabled") ?? false
    skipsMissed = try config.flag("skip_catchup_events") ?? false
  }

  /// The action: in `event_processors`, or a function in the older place.
  private static func action(
    of whole: ConfigurationMembers, _ secret: (String) -> String?
  ) throws(ConfigurationError) -> Action {
    guard let processors = try whole.members("event_processors") else {
      return .function(try whole.text("function_name"))
    }
    try processors.refuseOthers(than: ["FUNCTION", "WEBHOOK"])
    let function = try Trigger.config(of: "FUNCTION", in: processors)
    try function?.refuseOthers(than: ["function_name", "function_id"])
    let webhook = try Trigger.config(of: "WEBHOOK", in: processors)
    switch (function, webhook) {
    case (let config?, nil): return .function(try config.text("function_name"))
    case (nil, let config?): return .webhook(try Webhook(config, secret))
    case (nil, nil), (_?, _?):
      throw ConfigurationError(
        at: processors.path,
        "A trigger calls a function: {\"FUNCTION\": {\"config\": {\"function_name\": …}}}, or sends a webhook: {\"WEBHOOK\": {\"config\": {\"url\": …}}}."
      )
    }
  }
}

extension Trigger {
  private static func config(
    of name: String, in processors: ConfigurationMembers
  ) throws(ConfigurationError) -> ConfigurationMembers? {
    guard let processor = try processors.members(name) else { return nil }
    try processor.refuseOthers(than: ["config"])
    return try processor.members("config")
  }
}

extension Webhook {
  fileprivate init(
    _ config: ConfigurationMembers, _ secret: (String) -> String?
  ) throws(ConfigurationError) {
    try config.refuseOthers(than: ["url", "secret_name"])
    let url = try config.text("url")
    guard ["http://", "https://"].contains(where: url.hasPrefix) else {
      throw config.error("url", "A URL begins with “https://” or “http://”.")
    }
    let text = try config.optionalText("secret_name").map { name throws(ConfigurationError) in
      guard let text = secret(name), !text.isEmpty else {
        throw config.error("secret_name", "There is no secret of that name in auth/secrets.")
      }
      return text
    }
    self.init(url, secret: text)
  }
}

extension WatchedLogins {
  fileprivate init(_ config: ConfigurationMembers) throws(ConfigurationError) {
    try config.refuseOthers(than: ["operation_type", "providers"])
    guard let operation = Operation(rawValue: try config.text("operation_type")) else {
      throw config.error("operation_type", "Operations are LOGIN, CREATE and DELETE.")
    }
    self.init(operation, by: try config.texts("providers") ?? [])
  }
}

extension WatchedChanges {
  fileprivate init(_ config: ConfigurationMembers) throws(ConfigurationError) {
    try config.refuseOthers(than: [
      "operation_types", "operation_type", "collection", "database", "service_name", "service_id",
      "clusterName", "filter", "match",
      "project", "full_document", "full_document_before_change", "unordered", "skip_catchup_events",
      "tolerate_resume_errors",
      "maximum_throughput", "is_collection_level_trigger", "schedule_type", "providers",
    ])
    self.init(of: try config.text("collection"))
    if let members = try config.members("match"), !members.isEmpty {
      do throws(DocumentsError) { _ = try Filter(members.document) } catch {
        throw config.error("match", error.message)
      }
      match = members.document
    }
    if let members = try config.members("project"), !members.isEmpty {
      do throws(DocumentsError) { _ = try Projection(members.document, kind: .stage) } catch {
        throw config.error("project", error.message)
      }
      projection = members.document
    }
    if let names = try config.texts("operation_types") {
      var operations: Set<Operation> = []
      for name in names {
        guard let operation = Operation(rawValue: name) else {
          throw config.error(
            "operation_types", "Operations are INSERT, UPDATE, REPLACE and DELETE.")
        }
        operations.insert(operation)
      }
      self.operations = operations
    }
    filter = try config.optionalText("filter")
    showsObject = try config.flag("full_document") ?? false
    showsObjectBefore = try config.flag("full_document_before_change") ?? false
    isUnordered = try config.flag("unordered") ?? false
    database = try config.optionalText("database") ?? ""
    toleratesGaps = try config.flag("tolerate_resume_errors") ?? false
  }
}
