import GatehouseBSON

/// A query in the content of a request: a document of parameters.
struct QueryContent: Sendable {
  /// The member that names the class, where the path does not.
  static let classMember = "from"

  let members: Document
  /// The class that ``members`` names.
  let objectType: String?

  /// `hasClass` says whether the document is to name a class. Throws ``APIError/notParameters``,
  /// ``APIError/missingMember(_:)`` and ``APIError/unknownParameter(name:nearest:known:)``.
  init(_ content: Content, hasClass: Bool) throws {
    guard case .one(.document(let members)) = content else { throw APIError.notParameters }
    self.members = members
    guard hasClass else {
      objectType = nil
      guard members[QueryContent.classMember] == nil else {
        throw APIError.unknownParameter(name: QueryContent.classMember, nearest: nil, known: [])
      }
      return
    }
    guard case .string(let name)? = members[QueryContent.classMember] else {
      throw APIError.missingMember(QueryContent.classMember)
    }
    objectType = name
  }
}
