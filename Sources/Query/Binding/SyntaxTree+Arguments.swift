internal import GatehouseBSON

extension SyntaxTree {
  /// How many bytes of an argument count as a term. What is read costs more than what is only compared: a region that
  /// is given as a text is taken apart wherever it is used.
  private static let (comparedBytes, readBytes) = (1024, 8)

  /// Throws where the values that the query takes from `arguments`, each as often as it is used, have more terms than a
  /// query may have. A short text can use a long argument thousands of times, and each use costs as much as another.
  func checkArguments(_ arguments: [Value]) throws(QueryError) {
    var terms = 0
    for use in argumentUses where use.index < arguments.count {
      terms += arguments[use.index].terms(of: use.isRead ? Self.readBytes : Self.comparedBytes)
      if terms > Parser.termLimit { throw .tooManyTerms(offset: use.offset, limit: Parser.termLimit) }
    }
  }
}

extension Value {
  /// How many terms it stands for, each so many bytes of a text or of data being one.
  fileprivate func terms(of bytes: Int) -> Int {
    switch self {
    case .string(let text), .symbol(let text): 1 + text.utf8.count / bytes
    case .binary(let binary): 1 + binary.bytes.count / bytes
    case .array(let values): max(1, values.reduce(0) { $0 + $1.terms(of: bytes) })
    case .document(let document): document.elements.reduce(1) { $0 + $1.value.terms(of: bytes) }
    default: 1
    }
  }
}
