/// The rules for names of classes and properties.
///
/// Lengths are Realm's (C:group.hpp, table.hpp: 63 bytes, of which `class_` takes 6 of a class' name). The other
/// rules keep out names that would be ambiguous in a URL's path, a key path, the notation, or among the store's
/// names.
enum NameRules {
  static let longestClassName = 57
  static let longestPropertyName = 63
  static let mostProperties = 1000
  /// Names in the path of a projection's field: as deep as answers show objects in objects.
  static let longestProjectionPath = 8

  /// Returns the rule that a class' name breaks; nil if it is legal.
  static func brokenRule(ofClass name: String) -> SchemaRule.NameRule? {
    if let rule = brokenCommonRule(of: name, limit: longestClassName) { return rule }
    if name.utf8.contains(where: { "/?[]<>{}".utf8.contains($0) }) { return .illegalCharacter }
    let isTypeName =
      ElementType.containers.contains(name) || ElementType.scalars.contains { $0.name == name }
    return name.utf8.first == UInt8(ascii: "_") || isTypeName ? .reserved : nil
  }

  /// Returns the rule that a property's name breaks; nil if it is legal.
  static func brokenRule(ofProperty name: String) -> SchemaRule.NameRule? {
    if let rule = brokenCommonRule(of: name, limit: longestPropertyName) { return rule }
    return ownProperties.contains(name) ? .reserved : nil
  }

  /// The properties that objects have of us: other names may begin with underscores, as `_id` and Realm's `_partition` do.
  private static let ownProperties: Set = ["_key", "_version", ObjectType.fieldsName]

  /// Returns the rule that the store's name of a property breaks; nil if it is legal. Underscores are harmless there.
  static func brokenRule(ofStored name: String) -> SchemaRule.NameRule? {
    brokenCommonRule(of: name, limit: longestPropertyName)
  }

  private static func brokenCommonRule(of name: String, limit: Int) -> SchemaRule.NameRule? {
    guard let first = name.utf8.first else { return .empty }
    if name.utf8.count > limit { return .tooLong(limit: limit) }
    let isIllegal = name.unicodeScalars.contains {
      $0 == "." || $0.properties.generalCategory == .control
    }
    if isIllegal { return .illegalCharacter }
    // `{"$oid": …}` is Extended JSON's.
    return first == UInt8(ascii: "$") ? .reserved : nil
  }
}

extension Schema {
  /// The most bytes of a class' name.
  public static let longestClassName = NameRules.longestClassName

  /// Whether a class may have the name.
  public static func isLegal(className name: String) -> Bool { NameRules.brokenRule(ofClass: name) == nil }
}
