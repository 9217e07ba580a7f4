import GatehouseBSON

extension Problem {
  /// One thing that is wrong, and where: an element of a problem's `errors`.
  struct Entry: Hashable, Sendable {
    /// The place of an entry.
    enum Place: Hashable, Sendable {
      /// JSON Pointer (RFC 6901) into the content, and the line where the content is read by lines.
      case pointer(String, line: Int?)
      /// Bytes from the start of the content, or of the line.
      case content(offset: Int, line: Int?)
      /// A query parameter, and bytes from its start.
      case parameter(String, offset: Int?)
      case header(String)
      case schema(objectType: String?, property: String?)
    }

    let place: Place
    let code: String
    let detail: String
    let expectation: Expectation

    init(
      _ place: Place, _ code: String, detail: String, expectation: Expectation = Expectation()
    ) {
      self.place = place
      self.code = code
      self.detail = detail
      self.expectation = expectation
    }

    var value: Value {
      var document = Document()
      appendPlace(to: &document)
      expectation.append(to: &document)
      document.append("code", .string(code))
      document.append("detail", .string(detail))
      return .document(document)
    }

    /// Appends where it is.
    func appendPlace(to document: inout Document) {
      switch place {
      case .pointer(let pointer, let line):
        document.append("pointer", .string(pointer))
        if let line { document.append("line", .int64(Int64(line))) }
      case .content(let offset, let line):
        document.append("offset", .int64(Int64(offset)))
        if let line { document.append("line", .int64(Int64(line))) }
      case .parameter(let name, let offset):
        document.append("parameter", .string(name))
        if let offset { document.append("offset", .int64(Int64(offset))) }
      case .header(let name):
        document.append("header", .string(name))
      case .schema(let objectType, let property):
        if let objectType { document.append("class", .string(objectType)) }
        if let property { document.append("property", .string(property)) }
      }
    }
  }
}
