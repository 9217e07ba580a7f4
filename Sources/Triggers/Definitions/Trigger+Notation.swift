public import GatehouseBSON

/// The reason why a document is no trigger.
public struct TriggerError: Error, Hashable, Sendable {
  /// The members that lead to the fault, outermost first.
  public let path: [String]
  /// The fault, as a sentence.
  public let text: String

  public init(at path: [String], _ text: String) {
    self.path = path
    self.text = text
  }
}

extension Trigger {
  /// Reads what App Services writes to `triggers/NAME.json`. Throws ``TriggerError``.
  ///
  /// Members that only concern App Services' own clusters are let be; others that mean nothing here are refused.
  public init(notation: Document) throws(TriggerError) {
    let whole = Members(notation, at: [])
    try whole.refuseOthers(than: [
      "id", "_id", "name", "type", "disabled", "config", "event_processors", "function_name", "function_id",
      "last_modified", "$schema",
    ])
    let name = try whole.text("name")
    guard !name.isEmpty, name.utf8.count <= 128, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x2f })
    else {
      throw TriggerError(at: ["name"], "A name has 1 to 128 bytes, without “/” and control characters.")
    }
    let config = try whole.members("config") ?? Members(Document(), at: ["config"])
    let cause: Cause
    switch try whole.text("type") {
    case "DATABASE": cause = .changes(try WatchedChanges(config))
    case "SCHEDULED":
      try config.refuseOthers(than: ["schedule", "schedule_type", "skip_catchup_events"])
      guard let schedule = Schedule(try config.text("schedule")) else {
        throw TriggerError(
          at: ["config", "schedule"],
          "A schedule has five fields, such as “*/15 * * * *” (minute, hour, day, month, day of the week).")
      }
      cause = .time(schedule)
    case "AUTHENTICATION":
      throw TriggerError(at: ["type"], "Triggers of type AUTHENTICATION are not there yet.")
    default: throw TriggerError(at: ["type"], "The type is DATABASE or SCHEDULED.")
    }
    self.init(name, on: cause, calls: try Trigger.function(of: whole))
    isDisabled = try whole.flag("disabled") ?? false
    skipsMissed = try config.flag("skip_catchup_events") ?? false
  }

  /// The function: in `event_processors`, or in the older place.
  private static func function(of whole: Members) throws(TriggerError) -> String {
    guard let processors = try whole.members("event_processors") else {
      return try whole.text("function_name")
    }
    try processors.refuseOthers(than: ["FUNCTION"])
    guard let function = try processors.members("FUNCTION"), let config = try function.members("config")
    else {
      throw TriggerError(
        at: processors.path,
        "A trigger calls a function: {\"FUNCTION\": {\"config\": {\"function_name\": …}}}.")
    }
    return try config.text("function_name")
  }
}

extension WatchedChanges {
  fileprivate init(_ config: Members) throws(TriggerError) {
    try config.refuseOthers(than: [
      "operation_types", "operation_type", "collection", "database", "service_name", "service_id",
      "clusterName", "filter", "match",
      "project", "full_document", "full_document_before_change", "unordered", "skip_catchup_events",
      "tolerate_resume_errors",
      "maximum_throughput", "is_collection_level_trigger", "schedule_type", "providers",
    ])
    self.init(of: try config.text("collection"))
    for name in ["match", "project"] {
      guard let members = try config.members(name), !members.isEmpty else { continue }
      throw TriggerError(at: config.path + [name], "“\(name)” is not there yet; “filter” takes RQL.")
    }
    if let names = try config.texts("operation_types") {
      var operations: Set<Operation> = []
      for name in names {
        guard let operation = Operation(rawValue: name) else {
          throw TriggerError(
            at: config.path + ["operation_types"], "Operations are INSERT, UPDATE, REPLACE and DELETE.")
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

/// The members of a document, each of one type.
private struct Members {
  private let document: Document
  let path: [String]

  init(_ document: Document, at path: [String]) {
    self.document = document
    self.path = path
  }

  var isEmpty: Bool { document.elements.isEmpty }

  func refuseOthers(than names: Set<String>) throws(TriggerError) {
    for element in document.elements where !names.contains(element.key) {
      throw TriggerError(at: path + [element.key], "There is no such member.")
    }
  }

  func text(_ name: String) throws(TriggerError) -> String {
    guard let text = try optionalText(name) else { throw TriggerError(at: path, "“\(name)” is missing.") }
    return text
  }

  func optionalText(_ name: String) throws(TriggerError) -> String? {
    switch document[name] {
    case nil, .null: return nil
    case .string(let text): return text
    default: throw TriggerError(at: path + [name], "Here a text should stand.")
    }
  }

  func flag(_ name: String) throws(TriggerError) -> Bool? {
    switch document[name] {
    case nil, .null: return nil
    case .bool(let flag): return flag
    default: throw TriggerError(at: path + [name], "Here true or false should stand.")
    }
  }

  func texts(_ name: String) throws(TriggerError) -> [String]? {
    switch document[name] {
    case nil, .null: return nil
    case .array(let values):
      var texts: [String] = []
      for value in values {
        guard case .string(let text) = value else {
          throw TriggerError(at: path + [name], "Here texts should stand.")
        }
        texts.append(text)
      }
      return texts
    default: throw TriggerError(at: path + [name], "Here an array should stand.")
    }
  }

  func members(_ name: String) throws(TriggerError) -> Members? {
    switch document[name] {
    case nil, .null: return nil
    case .document(let inner): return Members(inner, at: path + [name])
    default: throw TriggerError(at: path + [name], "Here an object should stand.")
    }
  }
}
