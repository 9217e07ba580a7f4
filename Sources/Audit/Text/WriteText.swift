import GatehouseModel
import GatehouseStorage

/// The net effect of a transaction as JSON.
///
///     {"Class":{"deletions":[…],"insertions":[…],"modifications":[{"newValue":{…},"oldValue":{…}}]}, …}
///
/// Kinds and classes without anything are left out; names come in bytewise order, objects by key.
struct WriteText {
  /// The size in bytes from which on a text is continued in another one.
  let limit: Int
  /// By class; objects of other classes are left out.
  let writers: [String: ObjectWriter]
  /// The texts that functions made of objects, for the classes that have such a function.
  var representations = Representations()

  /// Returns the texts of those of the objects that `records` names, by class and in order; none if there are no such
  /// objects.
  func texts(of objects: [ObjectChange], where records: (ObjectChange) -> Bool = { _ in true })
    -> [[UInt8]]
  {
    var texts: [[UInt8]] = []
    var text = JSONText()
    text.bytes.reserveCapacity(1024)
    var last: (objectType: String, kind: Kind)?
    for (kind, index) in sorted(objects, where: records) {
      if last != nil, text.bytes.count >= limit {
        text.append("]}}")
        texts.append(text.bytes)
        text = JSONText()
        last = nil
      }
      open(kind, of: objects[index].objectType, after: last, in: &text)
      last = (objects[index].objectType, kind)
      write(objects[index], to: &text)
    }
    if last != nil {
      text.append("]}}")
      texts.append(text.bytes)
    }
    return texts
  }

  fileprivate enum Kind: Int {
    case deletions, insertions, modifications
  }

  /// Returns the changes by kind and index of the object, in the order in which Realm's recorder writes them; objects
  /// for which `records` is false are left out.
  private func sorted(
    _ objects: [ObjectChange], where records: (ObjectChange) -> Bool
  ) -> [(Kind, Int)] {
    let kinds = objects.indices.compactMap { index -> (Kind, Int)? in
      guard writers[objects[index].objectType] != nil, records(objects[index]) else { return nil }
      return objects[index].kind.map { ($0, index) }
    }
    if kinds.count < 2 { return kinds }
    return kinds.sorted { left, right in
      let (first, second) = (objects[left.1], objects[right.1])
      let order = first.objectType.compareBytes(second.objectType)
      if order != 0 { return order < 0 }
      return (left.0.rawValue, first.key.value) < (right.0.rawValue, second.key.value)
    }
  }

  private func open(
    _ kind: Kind, of objectType: String, after last: (objectType: String, kind: Kind)?,
    in text: inout JSONText
  ) {
    if let last, last == (objectType, kind) { return text.append(",") }
    if let last, last.objectType == objectType {
      text.append("],")
    } else {
      text.append(last == nil ? "{" : "]},")
      text.key(objectType)
      text.append("{")
    }
    switch kind {
    case .deletions: text.append(#""deletions":["#)
    case .insertions: text.append(#""insertions":["#)
    case .modifications: text.append(#""modifications":["#)
    }
  }

  private func write(_ object: ObjectChange, to text: inout JSONText) {
    guard let writer = writers[object.objectType] else { return }
    if !representations.isEmpty, let bytes = represented(object) {
      text.bytes += bytes
      return
    }
    switch (object.before, object.after) {
    case (let before?, let after?):
      text.append(#"{"newValue":"#)
      writer.append(after, since: before, only: object.changed, to: &text)
      text.append(#","oldValue":"#)
      writer.append(before, to: &text)
      text.append("}")
    case (let image?, nil), (nil, let image?): writer.append(image, to: &text)
    case (nil, nil): break
    }
  }

  private func represented(_ object: ObjectChange) -> [UInt8]? {
    func subject(_ image: Mixed) -> Representations.Subject {
      Representations.Subject(objectType: object.objectType, image: image)
    }
    switch (object.before, object.after) {
    case (let before?, let after?):
      guard let new = representations.difference(from: subject(before), to: subject(after)),
        let old = representations.text(of: subject(before))
      else { return nil }
      return Array(#"{"newValue":"#.utf8) + new + #","oldValue":"#.utf8 + old + [UInt8(ascii: "}")]
    case (let image?, nil), (nil, let image?): return representations.text(of: subject(image))
    case (nil, nil): return nil
    }
  }
}

extension ObjectChange {
  /// The kind of change; nil for an object that was made and is gone again.
  fileprivate var kind: WriteText.Kind? {
    if before == nil { return after == nil ? nil : .insertions }
    return after == nil ? .deletions : .modifications
  }

  /// The stored names of the properties that have another value now.
  fileprivate var changed: Set<String> {
    guard case .dictionary(let before)? = before, case .dictionary(let after)? = after else { return [] }
    var old: [String: Mixed] = [:]
    for entry in before where written.contains(entry.key) { old[entry.key] = entry.value }
    return Set(after.filter { written.contains($0.key) && old[$0.key] != $0.value }.map(\.key))
  }
}
