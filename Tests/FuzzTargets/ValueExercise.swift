import GatehouseBSON

/// The invariants of any bytes that are taken for values.
enum ValueExercise {
  /// The count is never below what is read, and never above what so many bytes can hold.
  static func count(_ bytes: [UInt8], isBSON: Bool) {
    let count = ValueCount(of: bytes, isBSON: isBSON)
    precondition(count.elements + count.members <= bytes.count + 1 && count.containers <= bytes.count)
    let read = isBSON ? (try? Document(bson: bytes)).map(Value.document) : try? Value(json: bytes)
    guard let read else { return }
    let (elements, members) = sizes(of: read)
    precondition(elements <= count.elements && members <= count.members)
  }

  /// Returns the numbers of elements and members in a value.
  private static func sizes(of value: Value) -> (elements: Int, members: Int) {
    switch value {
    case .array(let values): sum(values.map { sizes(of: $0) }, (values.count, 0))
    case .document(let document), .javaScriptWithScope(_, let document):
      sum(document.elements.map { sizes(of: $0.value) }, (0, document.elements.count))
    default: (0, 0)
    }
  }

  private static func sum(
    _ sizes: [(elements: Int, members: Int)], _ own: (elements: Int, members: Int)
  ) -> (elements: Int, members: Int) {
    sizes.reduce(own) { ($0.elements + $1.elements, $0.members + $1.members) }
  }
}
