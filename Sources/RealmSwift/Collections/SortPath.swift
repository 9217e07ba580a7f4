import GatehouseLive
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension RealmContext {
  /// Returns a path of names that objects of a class can be sorted by, or told apart; stops where there is none.
  func sortPath(_ text: String, of objectType: String, to verb: String) -> GatehouseQuery.KeyPath {
    func refuse(_ reason: String) -> Never { fatalError("Cannot \(verb) on key path '\(text)': \(reason).") }
    if text.contains("@") { refuse("KVC collection operators are not supported") }
    if text.isEmpty { refuse("key path is empty") }
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var type = objectType
    for (index, name) in names.enumerated() {
      let managed = managedClass(type)
      guard let property = managed?.schema[String(name.prefix { $0 != "[" })] else {
        // All the rest is inside of a document's field.
        if managed?.fields != nil { break }
        refuse("property '\(type).\(name)' does not exist")
      }
      let place = "property '\(type).\(name)'"
      let isLast = index == names.count - 1
      if property.isArray || property.isSet || property.type == .linkingObjects || property.type == .data
        || property.isMap && !name.contains("[")
      {
        refuse("\(place) is of unsupported type '\(property.typeName)'")
      }
      if isLast, property.type == .object {
        refuse("\(place) of type 'object' cannot be the final property in the key path")
      }
      if !isLast, property.type != .object {
        refuse("\(place) of type '\(property.typeName)' may only be the final property in the key path")
      }
      type = property.objectClassName ?? type
    }
    guard let path = GatehouseQuery.KeyPath(ordering: text, of: objectType, in: live.schema) else {
      refuse("it is no path, or follows more than \(GatehouseQuery.KeyPath.orderLinkLimit) links")
    }
    return path
  }
}

extension GatehouseQuery.KeyPath {
  /// Binds a path of names that leads to one value of each object; nil: the schema has none such.
  init?(ordering text: String, of objectType: String, in schema: GatehouseModel.Schema) {
    guard var type = schema[objectType] else { return nil }
    var hops: [Hop] = []
    var rest = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    while let name = rest.popFirst() {
      let parts = name.split(separator: "[", maxSplits: 1).map(String.init)
      guard let plain = parts.first else { return nil }
      guard let index = type.index(of: plain) else {
        guard let fields = type.fieldsIndex else { return nil }
        let steps = rest.map { Step.key(ExactText($0)) }
        self.init(
          objectType: objectType, hops: hops, end: .entry(property: fields, key: type.fieldKey(name), steps),
          type: .mixed)
        return
      }
      let key = parts.count > 1 ? ExactText(parts[1].trimmingKey) : nil
      switch (type.properties[index].type, key) {
      case (.one(.object(let target), _), nil): hops.append(Hop(.link(property: index), to: target))
      case (.map(.object(let target), _), let key?):
        hops.append(Hop(.entry(property: index, key: key), to: target))
      case (.one(let element, _), nil) where rest.isEmpty:
        self.init(objectType: objectType, hops: hops, end: .value(property: index), type: element)
        return
      case (.map(let element, _), let key?) where rest.isEmpty:
        self.init(
          objectType: objectType, hops: hops, end: .entry(property: index, key: key, []), type: element)
        return
      default: return nil
      }
      guard let target = hops.last?.target, let next = schema[target],
        hops.count <= GatehouseQuery.KeyPath.orderLinkLimit
      else { return nil }
      type = next
    }
    return nil
  }
}

extension String {
  /// The key between what is left of brackets, with or without quotation marks.
  fileprivate var trimmingKey: String {
    var key = self[...]
    if key.last == "]" { key.removeLast() }
    if let mark = key.first, mark == "'" || mark == "\"", key.count > 1, key.last == mark {
      key = key.dropFirst().dropLast()
    }
    return String(key)
  }
}
