/// Chooses filters about objects of a generated world: through links of every kind, forwards and backwards.
struct GeneratedFilter {
  let world: GeneratedWorld
  private var schema: GeneratedSchema { world.schema }

  /// A path through links, and what it leads to.
  struct Path {
    var hops: [String] = []
    var objectType: String
    var isToMany = false

    func to(_ end: String) -> String { (hops + [end]).joined(separator: ".") }
    var text: String { hops.joined(separator: ".") }
  }

  /// Returns a path of at most `depth` hops; `hasOrder`: one that can be sorted by.
  func path(
    from objectType: String, atMost depth: Int = 3, hasOrder: Bool = false, _ choose: inout Chooser
  ) -> Path {
    var path = Path(objectType: objectType)
    for _ in 0..<choose.number(below: depth + 1) {
      let hops = self.hops(from: path.objectType, &choose).filter { hop in
        !hasOrder || hop.property?.kind.isToOne == true
      }
      guard !hops.isEmpty else { break }
      let hop = choose.one(of: hops)
      path.hops.append(hop.text)
      path.objectType = hop.target
      path.isToMany = path.isToMany || hop.isToMany
    }
    return path
  }

  private struct Hop {
    let text: String
    let target: String
    let isToMany: Bool
    /// Nil: by `@links`.
    var property: GeneratedSchema.Property?
  }

  private func hops(from objectType: String, _ choose: inout Chooser) -> [Hop] {
    var hops: [Hop] = []
    for property in schema[objectType]?.properties ?? [] {
      guard let target = property.kind.target else { continue }
      func hop(_ suffix: String, isToMany: Bool) -> Hop {
        Hop(text: property.name + suffix, target: target, isToMany: isToMany, property: property)
      }
      if property.kind.isToOne {
        hops += [hop("", isToMany: false), hop("", isToMany: false)]
      } else {
        hops.append(hop("", isToMany: true))
      }
      if property.kind.isList {
        hops.append(hop(choose.one(of: ["[0]", "[1]", "[FIRST]", "[LAST]"]), isToMany: false))
      }
      if property.kind.isMap { hops.append(hop(choose.one(of: ["['a']", "['b']"]), isToMany: false)) }
    }
    for source in schema.sources(of: objectType) {
      hops.append(
        Hop(
          text: "@links.\(source.objectType).\(source.property)", target: source.objectType, isToMany: true))
    }
    return hops
  }

  /// Returns a property of a class; nil where it has none of the kinds.
  func property(
    of objectType: String, _ choose: inout Chooser, where isFine: (GeneratedSchema.Kind) -> Bool
  ) -> String? {
    let names = (schema[objectType]?.properties ?? []).filter { isFine($0.kind) }.map(\.name)
    return names.isEmpty ? nil : choose.one(of: names)
  }

  /// An object as filters have it.
  private func object(_ choose: inout Chooser, of objectType: String? = nil) -> String {
    let links = world.links.filter { objectType == nil || $0.objectType == objectType }
    guard !links.isEmpty else { return "null" }
    let link = choose.one(of: links)
    return "obj('\(link.objectType)', \(world.id(of: link, quote: "'")))"
  }

  /// Returns a filter about objects of a class, which paths begin with `prefix` in.
  func filter(
    on objectType: String, depth: Int = 0, prefix: String = "", _ choose: inout Chooser
  ) -> String {
    func inner(_ choose: inout Chooser) -> String {
      filter(on: objectType, depth: depth + 1, prefix: prefix, &choose)
    }
    switch choose.number(below: depth < 2 ? 11 : 9) {
    case 0, 1: return comparison(on: objectType, prefix, &choose)
    case 2: return linkComparison(on: objectType, prefix, &choose)
    case 3: return count(on: objectType, prefix, depth, &choose)
    case 4, 5: return mixedComparison(on: objectType, prefix, &choose)
    case 6: return comparisonOfPaths(on: objectType, prefix, &choose)
    case 7: return "\(prefix)@links.@count \(relation(&choose)) \(choose.number(below: 3))"
    case 8: return collectionComparison(on: objectType, prefix, &choose)
    case 9: return "NOT (\(inner(&choose)))"
    default: return "(\(inner(&choose)) \(choose.one(of: ["AND", "OR"])) \(inner(&choose)))"
    }
  }

  private func relation(_ choose: inout Chooser) -> String {
    choose.one(of: ["==", "!=", ">", "<", ">=", "<="])
  }

  private func quantifier(_ path: Path, _ choose: inout Chooser) -> String {
    path.isToMany ? choose.one(of: ["ANY ", "ANY ", "ALL ", "NONE ", ""]) : ""
  }

  private func comparison(on objectType: String, _ prefix: String, _ choose: inout Chooser) -> String {
    let path = path(from: objectType, &choose)
    guard
      let name = property(of: path.objectType, &choose, where: { [.int, .text, .double].contains($0) }),
      let property = schema[path.objectType]?[name]
    else { return "\(prefix)id != null" }
    let left = quantifier(path, &choose) + prefix + path.to(name)
    switch property.kind {
    case .int: return "\(left) \(relation(&choose)) \(choose.number(below: 4))"
    case .double: return "\(left) \(relation(&choose)) \(choose.one(of: ["0.5", "1.5", "null"]))"
    default:
      if property.index == "\"full-text\"", choose.chance(percent: 50) {
        return "\(prefix)\(path.to(name)) TEXT '\(choose.one(of: ["a", "a b", "-a", "c a*"]))'"
      }
      let ends = [
        "== 'me'", "!= 'a'", "BEGINSWITH 'a'", "== null", "CONTAINS[c] 'B'", "IN {'a', 'me'}", "LIKE '*b*'",
      ]
      return "\(left) \(choose.one(of: ends))"
    }
  }

  private func linkComparison(on objectType: String, _ prefix: String, _ choose: inout Chooser) -> String {
    let path = path(from: objectType, &choose)
    guard !path.hops.isEmpty else { return comparison(on: objectType, prefix, &choose) }
    let right = choose.one(of: ["null", object(&choose, of: path.objectType)])
    return quantifier(path, &choose) + "\(prefix)\(path.text) \(choose.one(of: ["==", "!="])) \(right)"
  }

  private func count(
    on objectType: String, _ prefix: String, _ depth: Int, _ choose: inout Chooser
  ) -> String {
    let path = path(from: objectType, &choose)
    guard path.isToMany else { return linkComparison(on: objectType, prefix, &choose) }
    let number = choose.number(below: 4)
    let way = prefix + path.text
    switch choose.number(below: 4) {
    case 0: return "\(way).@count \(relation(&choose)) \(number)"
    case 1:
      guard let name = property(of: path.objectType, &choose, where: { [.int, .double].contains($0) })
      else { return "\(way).@count == \(number)" }
      return "\(way).@\(choose.one(of: ["sum", "max", "min", "avg"])).\(name) \(relation(&choose)) \(number)"
    case 2 where depth < 2:
      let name = "$x\(depth)"
      let inner = filter(on: path.objectType, depth: depth + 1, prefix: "\(name).", &choose)
      return "SUBQUERY(\(way), \(name), \(inner)).@count \(relation(&choose)) \(number)"
    default:
      return
        "\(way).@count + \(choose.number(below: 2)) \(relation(&choose)) \(prefix)\(path.isToMany ? way : "").@count"
    }
  }

  private func mixedComparison(on objectType: String, _ prefix: String, _ choose: inout Chooser) -> String {
    let path = path(from: objectType, atMost: 2, &choose)
    guard let name = property(of: path.objectType, &choose, where: \.isMixed),
      let kind = schema[path.objectType]?[name]?.kind
    else { return comparison(on: objectType, prefix, &choose) }
    let entry =
      kind == .mixed ? "" : kind.isMap ? ".a" : kind.isList ? choose.one(of: ["[0]", "[LAST]"]) : ""
    var end = choose.one(of: ["", "", entry, "\(entry).n", "\(entry).owner", "[*].n", ".@type", ".@count"])
    if choose.chance(percent: 40) {
      // On through the link that may be there, to whatever property of whatever class.
      let target = choose.one(of: schema.names)
      let next = property(of: target, &choose) { _ in true } ?? "n"
      end = "\(entry).\(next)" + choose.one(of: ["", ".@count", "[0]", "[LAST]", "[*]", ".a", "[0].n", ".n"])
    }
    let right =
      end.hasSuffix(".@type")
      ? choose.one(of: ["'object'", "'null'", "'int'", "'list'"])
      : end.hasSuffix(".@count")
        ? "\(choose.number(below: 3))"
        : choose.one(of: ["null", "1", "'a'", "'me'", object(&choose), object(&choose)])
    let isMany = path.isToMany || kind != .mixed || end.contains("*")
    let quantifier = isMany ? choose.one(of: ["ANY ", "ALL ", "NONE ", ""]) : ""
    let left = "\(quantifier)\(prefix)\(path.to(name))\(end)"
    if choose.chance(percent: 10) { return "\(left) IN {null, 1, \(object(&choose))}" }
    return "\(left) \(choose.one(of: ["==", "==", "!=", ">"])) \(right)"
  }

  private func comparisonOfPaths(on objectType: String, _ prefix: String, _ choose: inout Chooser) -> String {
    let kind = choose.one(of: [GeneratedSchema.Kind.int, .text])
    let left = path(from: objectType, &choose)
    let right = path(from: objectType, hasOrder: true, &choose)
    guard let first = property(of: left.objectType, &choose, where: { $0 == kind }),
      let second = property(of: right.objectType, &choose, where: { $0 == kind })
    else { return comparison(on: objectType, prefix, &choose) }
    return quantifier(left, &choose)
      + "\(prefix)\(left.to(first)) \(relation(&choose)) \(prefix)\(right.to(second))"
  }

  private func collectionComparison(
    on objectType: String, _ prefix: String, _ choose: inout Chooser
  ) -> String {
    let path = path(from: objectType, atMost: 2, &choose)
    let name = property(of: path.objectType, &choose) { ($0.isMap || $0.isList) && $0.target != nil }
    guard let name, let kind = schema[path.objectType]?[name]?.kind else {
      return count(on: objectType, prefix, 2, &choose)
    }
    let ends =
      kind.isMap
      ? [".@count == 1", ".@keys == 'a'", ".@count > 0", ".a == null"]
      : [".@count == 1", "[0] == null", ".@count > 1", "[1] != null"]
    return "\(prefix)\(path.to(name))\(choose.one(of: ends))"
  }
}
