/// The members of a document of a configuration file, each of one type. A member that is null counts as left out.
public struct ConfigurationMembers: Sendable {
  public let document: Document
  /// The way from the file's value to the document.
  public let path: [JSONPlace.Step]

  public init(_ document: Document, at path: [JSONPlace.Step] = []) {
    self.document = document
    self.path = path
  }

  /// Makes the members of a value. Throws ``ConfigurationError`` where it is no document.
  public init(_ value: Value, at path: [JSONPlace.Step] = []) throws(ConfigurationError) {
    guard case .document(let document) = value else {
      throw ConfigurationError(at: path, "Here an object should stand.")
    }
    self.init(document, at: path)
  }

  public var isEmpty: Bool { document.elements.isEmpty }

  /// Makes an error about a member.
  public func error(_ name: String, _ text: String) -> ConfigurationError {
    ConfigurationError(at: path + [.name(name)], text)
  }

  /// Throws ``ConfigurationError`` where the document has a member of another name: misspelt, it would have no effect.
  public func refuseOthers(than names: Set<String>) throws(ConfigurationError) {
    for element in document.elements where !names.contains(element.key) {
      throw error(element.key, "There is no member “\(element.key)”.")
    }
  }

  /// Returns the text of a member. Throws ``ConfigurationError`` where it is none, or missing.
  public func text(_ name: String) throws(ConfigurationError) -> String {
    guard let text = try optionalText(name) else {
      throw ConfigurationError(at: path, "“\(name)” is missing.")
    }
    return text
  }

  /// Returns the text of a member; nil where it is left out.
  public func optionalText(_ name: String) throws(ConfigurationError) -> String? {
    switch document[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case _?: throw error(name, "Here a text should stand.")
    }
  }

  public func flag(_ name: String) throws(ConfigurationError) -> Bool? {
    switch document[name] {
    case nil, .null?: return nil
    case .bool(let flag)?: return flag
    case _?: throw error(name, "Here true or false should stand.")
    }
  }

  public func texts(_ name: String) throws(ConfigurationError) -> [String]? {
    switch document[name] {
    case nil, .null?: return nil
    case .array(let values)?:
      var texts: [String] = []
      for value in values {
        guard case .string(let text) = value else { throw error(name, "Here texts should stand.") }
        texts.append(text)
      }
      return texts
    case _?: throw error(name, "Here an array should stand.")
    }
  }

  public func members(_ name: String) throws(ConfigurationError) -> ConfigurationMembers? {
    switch document[name] {
    case nil, .null?: return nil
    case let value?: return try ConfigurationMembers(value, at: path + [.name(name)])
    }
  }
}
