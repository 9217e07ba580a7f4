import GatehouseAudit
import GatehouseBSON

/// The members of a document, all of which are texts.
struct AuditMembers {
  private let document: Document

  /// Throws ``APIError/invalidAuditContent(_:)``. `known` are the members that there may be; nil: any.
  init(_ value: Value, known: Set<String>?) throws(APIError) {
    guard case .document(let document) = value else { throw .invalidAuditContent(pointer: "") }
    for element in document.elements where known?.contains(element.key) == false {
      throw .invalidAuditContent(pointer: AuditMembers.pointer(element.key))
    }
    self.document = document
  }

  func text(_ name: String) throws(APIError) -> String {
    guard let text = try optionalText(name) else {
      throw .invalidAuditContent(pointer: AuditMembers.pointer(name))
    }
    return text
  }

  func optionalText(_ name: String) throws(APIError) -> String? {
    switch document[name] {
    case .string(let text)?: return text
    case nil, .null?: return nil
    case _?: throw .invalidAuditContent(pointer: AuditMembers.pointer(name))
    }
  }

  /// Returns the activity: a line of text, which each event of it bears.
  func activity() throws(APIError) -> String {
    let text = try text("activity")
    guard text.utf8.count <= Scope.longestActivity else {
      throw .invalidAuditContent(pointer: AuditMembers.pointer("activity"))
    }
    return text
  }

  func texts() throws(APIError) -> [(key: String, value: String)] {
    var texts: [(key: String, value: String)] = []
    for element in document.elements {
      guard case .string(let text) = element.value else {
        throw .invalidAuditContent(pointer: AuditMembers.pointer(element.key))
      }
      texts.append((element.key, text))
    }
    return texts
  }

  private static func pointer(_ name: String) -> String {
    "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}
