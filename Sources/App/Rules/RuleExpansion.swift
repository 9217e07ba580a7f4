import GatehouseBSON

/// The names for what App Services' expressions can ask (“Expansions” in its manual), with where each can be asked here.
enum RuleExpansion {
  private static let inRights = [
    "root": "is the document: it stands on the left, or on the right of a comparison of “%%user”",
    "prevRoot":
      "is the document before the change, which no condition asks by itself: “write” has to hold before the change and after it, and a trigger is given both (“full_document_before_change”)",
    "this":
      "is the value of a field, which fields' rules do not ask here: a condition on the document names the field",
    "request": "is the caller's request, which rights do not ask: functions do (context.request)",
    "values": "is a value of the app, which functions read (context.values): write the value itself",
    "environment":
      "is the app's environment, which functions read (context.environment): write the value itself",
    "args": "are the arguments of a call, which “can_evaluate” of a function asks",
    "partition": "is that of Device Sync, which is not served",
    "user": "is nothing that rules know of their caller but “id”, “data”, “custom_data” and “roles”",
  ]

  /// Returns why a condition on documents cannot ask `%%prevRoot.name` or the like.
  static func refusal(of text: String) -> String {
    if text == "%function" || text == "$function" {
      return
        "“\(text)” calls a function, which rights do not: they are conditions that every read of a class asks"
    }
    guard text.hasPrefix("%%") else { return "“\(text)” cannot be said in RQL" }
    return "“\(text)” \(inRights[root(of: text)] ?? "is no name that is known here")"
  }

  /// Returns the first name in the `can_evaluate` of a function that a call does not know; nil: it knows all of them.
  static func unknownInCalls(_ value: Value) -> String? {
    switch value {
    case .string(let text): text.hasPrefix("%%") && !ofCalls.contains(root(of: text)) ? text : nil
    case .array(let values): values.lazy.compactMap(unknownInCalls).first
    case .document(let document):
      document.elements.lazy.compactMap { unknownInCalls(.string($0.key)) ?? unknownInCalls($0.value) }.first
    default: nil
    }
  }

  private static let ofCalls: Set<String> = ["user", "args", "true", "false"]

  private static func root(of text: String) -> String { String(text.dropFirst(2).prefix { $0 != "." }) }
}
