internal import GatehouseBSON

/// A file of JSON that an operator has written, with what may stand in it: what is misspelt would have no effect otherwise.
struct ConfigurationText {
  /// Relative to the folder of the app.
  let name: String
  private let bytes: [UInt8]
  let value: Value

  /// Nil if there is no such file. Throws ``FunctionError/malformedConfiguration(file:offset:)``.
  init?(at path: String, named name: String) throws(FunctionError) {
    guard let bytes = TextFile.bytes(at: path) else { return nil }
    do {
      value = try Value(json: bytes)
    } catch {
      throw .malformedConfiguration(file: name, offset: error.offset)
    }
    (self.name, self.bytes) = (name, bytes)
  }

  /// Returns the document at a path, which has no other members than those. Throws
  /// ``FunctionError/wrongMember(_:isKnown:file:line:)``.
  func document(
    _ value: Value, at path: [JSONPlace.Step] = [], members: Set<String>
  ) throws(FunctionError) -> Document {
    guard case .document(let document) = value else { throw wrong("", at: path) }
    for element in document.elements where !members.contains(element.key) {
      throw .wrongMember(
        element.key, isKnown: false, file: name,
        line: JSONPlace.line(of: path + [.name(element.key)], in: bytes))
    }
    return document
  }

  /// The error that a member below the path is missing or of the wrong type.
  func wrong(_ member: String, at path: [JSONPlace.Step]) -> FunctionError {
    let line =
      JSONPlace.line(of: path + [.name(member)], in: bytes) ?? JSONPlace.line(of: path, in: bytes)
    return .wrongMember(member, isKnown: true, file: name, line: line)
  }
}
