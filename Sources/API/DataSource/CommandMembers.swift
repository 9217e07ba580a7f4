import GatehouseBSON

/// Reads the members of a command, of which clients of different kinds call some by different names. A member that the
/// command does not have is an error: silence would hide that it has no effect.
struct CommandMembers {
  private let document: Document

  /// The names that say which collection a command is about.
  private static let ofCollection = ["dataSource", "database", "collection"]

  /// - Parameter known: the names that the command understands beside those of the collection.
  init(_ document: Document, known: [String]) throws(DataSourceError) {
    for element in document.elements
    where !known.contains(element.key) && !Self.ofCollection.contains(element.key) {
      throw .unknownMember(element.key)
    }
    self.document = document
  }

  /// The collection that the members name.
  static func namespace(in document: Document) throws(DataSourceError) -> Namespace {
    guard let collection = document["collection"] else { throw .missingMember("collection") }
    guard case .string(let name) = collection, !name.isEmpty else {
      throw .wrongMember("collection", expected: "a name")
    }
    switch document["database"] {
    case nil: return Namespace(database: "", collection: name)
    case .string(let database)?: return Namespace(database: database, collection: name)
    case _?: throw .wrongMember("database", expected: "a name")
    }
  }

  /// A member that may be left out, under either of its names; null is as good as nothing.
  subscript(name: String, other: String? = nil) -> Value? { member(name, other)?.value }

  private func member(_ name: String, _ other: String?) -> Document.Element? {
    document.elements.first { ($0.key == name || $0.key == other) && $0.value != .null }
  }

  /// A document that may be left out, under either of its names.
  func optionalDocument(_ name: String, _ other: String? = nil) throws(DataSourceError) -> Document? {
    guard let member = member(name, other) else { return nil }
    guard case .document(let document) = member.value else {
      throw .wrongMember(member.key, expected: "a document")
    }
    return document
  }

  /// A document that must be there.
  func document(_ name: String) throws(DataSourceError) -> Document {
    guard let document = try optionalDocument(name) else { throw .missingMember(name) }
    return document
  }

  /// An array of documents that may be left out.
  func documents(_ name: String) throws(DataSourceError) -> [Document]? {
    guard let value = self[name] else { return nil }
    guard case .array(let values) = value else {
      throw .wrongMember(name, expected: "an array of documents")
    }
    var documents: [Document] = []
    for value in values {
      guard case .document(let document) = value else {
        throw .wrongMember(name, expected: "an array of documents")
      }
      documents.append(document)
    }
    return documents
  }

  func array(_ name: String) throws(DataSourceError) -> [Value] {
    guard let value = self[name] else { throw .missingMember(name) }
    guard case .array(let values) = value else { throw .wrongMember(name, expected: "an array") }
    return values
  }

  func text(_ name: String) throws(DataSourceError) -> String {
    guard let value = self[name] else { throw .missingMember(name) }
    guard case .string(let text) = value else { throw .wrongMember(name, expected: "a text") }
    return text
  }

  /// A whole number of any type; nil where it is left out.
  func count(_ name: String) throws(DataSourceError) -> Int? {
    switch self[name] {
    case nil: return nil
    case .int32(let count)? where count >= 0: return Int(count)
    case .int64(let count)? where count >= 0: return Int(count)
    case .double(let count)?:
      if let count = Int(exactly: count), count >= 0 { return count }
    case _?: break
    }
    throw .wrongMember(name, expected: "a whole number from 0 on")
  }

  /// A flag; false where it is left out.
  func flag(_ name: String) throws(DataSourceError) -> Bool {
    switch self[name] {
    case nil: return false
    case .bool(let flag)?: return flag
    case _?: throw .wrongMember(name, expected: "true or false")
    }
  }
}
