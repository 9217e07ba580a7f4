import GatehouseBSON

@testable import GatehouseAPI

/// A client that applies what a stream of results tells it to a list of its own.
struct ResultsReplica {
  var objects: [Value] = []
  var sections: [(key: Value, objects: [Value])] = []

  /// Applies one event.
  mutating func apply(_ event: StreamEvent) throws {
    guard let data = event.data, case .document(let document) = try Value(json: data) else { return }
    switch event.name {
    case "initial":
      objects = document.values("objects")
      sections = document.values("sections").compactMap { section in
        guard case .document(let section) = section else { return nil }
        return (section["key"] ?? .null, section.values("objects"))
      }
    case "update" where document["sectionsToDelete"] != nil: applySections(document)
    case "update":
      for index in document.indices("deletions").reversed() { objects.remove(at: index) }
      for (index, object) in zip(document.indices("insertions"), document.values("inserted")) {
        objects.insert(object, at: index)
      }
      for (index, object) in zip(document.indices("modificationsNew"), document.values("modified")) {
        objects[index] = object
      }
    default: break
    }
  }

  private mutating func applySections(_ update: Document) {
    for (section, row) in update.paths("deletions").reversed() { sections[section].objects.remove(at: row) }
    for section in update.indices("sectionsToDelete").reversed() { sections.remove(at: section) }
    for (section, key) in zip(update.indices("sectionsToInsert"), update.values("keys")) {
      sections.insert((key, []), at: section)
    }
    for ((section, row), object) in zip(update.paths("insertions"), update.values("inserted")) {
      sections[section].objects.insert(object, at: row)
    }
    // Its place is that in the new sections.
    for ((section, row), object) in zip(update.paths("modifications"), update.values("modified")) {
      sections[section].objects[row] = object
    }
  }
}

extension Document {
  fileprivate func values(_ name: String) -> [Value] {
    if case .array(let values)? = self[name] { values } else { [] }
  }

  fileprivate func indices(_ name: String) -> [Int] { values(name).compactMap(\.index) }

  fileprivate func paths(_ name: String) -> [(Int, Int)] {
    values(name).compactMap { path in
      guard case .array(let pair) = path, let section = pair[0].index, let row = pair[1].index else {
        return nil
      }
      return (section, row)
    }
  }
}

extension Value {
  fileprivate var index: Int? {
    switch self {
    case .int32(let number): Int(number)
    case .int64(let number): Int(number)
    default: nil
    }
  }
}

extension ResultsReplica {
  /// As GET shows it.
  var value: Value {
    guard sections.isEmpty else {
      return .array(
        sections.map { .document(["key": $0.key, "objects": .array($0.objects)]) })
    }
    return .array(objects)
  }

  /// Returns the answer of GET without the counts of sections, which may have more objects than are shown.
  static func shown(_ value: Value) -> Value {
    guard case .array(let sections) = value else { return value }
    return .array(
      sections.map { section in
        guard case .document(let section) = section, section["count"] != nil else { return section }
        return .document(["key": section["key"] ?? .null, "objects": section["objects"] ?? .null])
      })
  }
}
