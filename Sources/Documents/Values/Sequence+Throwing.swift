// Closures that throw take the type of their errors from where they are handed to.
extension Sequence {
  func mapped<Result>(
    _ transform: (Element) throws(DocumentsError) -> Result
  ) throws(DocumentsError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(underestimatedCount)
    for element in self { results.append(try transform(element)) }
    return results
  }

  func keeping(_ isKept: (Element) throws(DocumentsError) -> Bool) throws(DocumentsError) -> [Element] {
    var results: [Element] = []
    for element in self where try isKept(element) { results.append(element) }
    return results
  }

  func holdsForAny(_ test: (Element) throws(DocumentsError) -> Bool) throws(DocumentsError) -> Bool {
    for element in self where try test(element) { return true }
    return false
  }

  func holdsForAll(_ test: (Element) throws(DocumentsError) -> Bool) throws(DocumentsError) -> Bool {
    for element in self where try !test(element) { return false }
    return true
  }
}
