public import GatehouseBSON

/// The entries of `config.json` in a folder of functions.
public enum FunctionsConfiguration {
  /// Checks one entry as a server does that reads it. Throws `ConfigurationError`.
  public static func check(_ entry: Value) throws(ConfigurationError) {
    let members = try ConfigurationMembers(entry)
    try members.refuseOthers(than: FunctionEntry.members)
    guard FunctionEntry(members.document) != nil else {
      let name = members.document["command"] == nil ? "name" : "command"
      throw members.error(name, "“\(name)” is missing, or none of a function.")
    }
  }

  /// Returns whether all of a rule in `can_evaluate` is known: one that is not never holds, and nobody may call the function.
  public static func isKnown(rule: Value) -> Bool { RuleExpression(known: rule) != nil }
}
