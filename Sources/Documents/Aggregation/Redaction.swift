import GatehouseBSON

/// `$redact`: whether a document, and each in it, is kept, cut off, or looked into.
struct Redaction {
  let expression: Expression
  let scope: Scope

  func apply(to document: Document) throws(DocumentsError) -> Document? {
    var scope = scope
    scope.current = .document(document)
    for name in ["DESCEND", "PRUNE", "KEEP"] { scope.bind(name, to: .string(name)) }
    switch try expression.value(in: scope) {
    case .string("KEEP")?: return document
    case .string("PRUNE")?: return nil
    case .string("DESCEND")?:
      var result = Document()
      for element in document.elements {
        if let value = try descend(element.value) { result.append(element.key, value) }
      }
      return result
    default:
      throw .at(
        17053,
        "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE"
      )
    }
  }

  private func descend(_ value: Value) throws(DocumentsError) -> Value? {
    switch value {
    case .document(let document): return try apply(to: document).map { .document($0) }
    case .array(let values):
      var results: [Value] = []
      for value in values {
        if let value = try descend(value) { results.append(value) }
      }
      return .array(results)
    default: return value
    }
  }
}
