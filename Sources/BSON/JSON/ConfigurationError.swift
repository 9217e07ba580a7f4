/// The reason why a document of a configuration file is not what it should be.
public struct ConfigurationError: Error, Hashable, Sendable {
  /// The way from the file's value to the fault, outermost step first.
  public let path: [JSONPlace.Step]
  /// The fault, as a sentence.
  public let text: String

  public init(at path: [JSONPlace.Step], _ text: String) {
    self.path = path
    self.text = text
  }

  /// Makes an error at a path of names through objects.
  public init(at names: [String], _ text: String) {
    self.init(at: names.map(JSONPlace.Step.name), text)
  }

  /// The path as people write it, such as `config.schedule` or `0.route`.
  public var place: String {
    path.map { step in
      switch step {
      case .name(let name): name
      case .index(let index): String(index)
      }
    }.joined(separator: ".")
  }
}
