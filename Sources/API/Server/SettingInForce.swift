/// A setting of a running server.
public struct SettingInForce: Sendable {
  /// The place that gave it its value.
  public enum Source: String, Sendable {
    case `default`, file, environment, flag
  }

  public let name: String
  /// Nil: it is a secret.
  public let value: String?
  public let defaultValue: String
  public let source: Source
  /// Whether a server takes it up while it runs.
  public let isLive: Bool
  public let help: String

  public init(
    _ name: String, value: String?, defaultValue: String, source: Source, isLive: Bool, help: String
  ) {
    self.name = name
    self.value = value
    self.defaultValue = defaultValue
    self.source = source
    self.isLive = isLive
    self.help = help
  }
}
