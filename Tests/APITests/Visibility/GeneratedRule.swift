/// A rule for which objects of a class may be read: as roles have it, and as a function of plain objects.
struct GeneratedRule: Sendable {
  /// The filter; nil: `true`.
  let filter: String?
  let holds: @Sendable (GeneratedWorld, PlainLink) -> Bool

  static let always = GeneratedRule(filter: nil) { _, _ in true }
  static let never = GeneratedRule(filter: "FALSEPREDICATE") { _, _ in false }
  static let own = GeneratedRule(filter: "owner == 'me'") { $0[$1]?["owner"] == .text("me") }
  static let large = GeneratedRule(filter: "n > 1") { $0.number(of: $1) > 1 }

  /// Chooses a rule for a class: of its own values, or through links, back or forth, and embedded objects.
  static func random(for type: GeneratedSchema.Class, _ choose: inout Chooser) -> GeneratedRule {
    let filters = [own, own, own, large] + type.properties.flatMap(rules)
    let first = choose.one(of: filters + [always, always, never])
    guard first.filter != nil, choose.chance(percent: 30) else { return first }
    let second = choose.one(of: filters)
    return choose.chance(percent: 50) ? first.or(second) : first.negated
  }

  private func or(_ other: GeneratedRule) -> GeneratedRule {
    GeneratedRule(filter: "(\(filter ?? "")) OR (\(other.filter ?? ""))") {
      holds($0, $1) || other.holds($0, $1)
    }
  }

  private var negated: GeneratedRule {
    GeneratedRule(filter: "NOT (\(filter ?? ""))") { !holds($0, $1) }
  }

  /// The rules that lead through a property.
  private static func rules(_ property: GeneratedSchema.Property) -> [GeneratedRule] {
    let name = property.name
    switch property.kind {
    case .link:
      return [
        GeneratedRule(filter: "\(name).owner == 'me'") { world, link in
          world.links(link, name).contains { own.holds(world, $0) }
        },
        GeneratedRule(filter: "\(name) == null") { world, link in world.links(link, name).isEmpty },
      ]
    case .linkList, .linkSet:
      return [
        GeneratedRule(filter: "ANY \(name).owner == 'me'") { world, link in
          world.links(link, name).contains { own.holds(world, $0) }
        },
        GeneratedRule(filter: "\(name).@count > 1") { world, link in world.links(link, name).count > 1 },
      ]
    case .linkingObjects(let source, let other):
      return [
        GeneratedRule(filter: "ANY \(name).n < 9") { world, link in
          world.objects.keys.contains { $0.objectType == source && world.links($0, other).contains(link) }
        }
      ]
    case .embedded:
      return [
        GeneratedRule(filter: "\(name).city == 'a'") { world, link in
          if case .object(let part)? = world[link]?[name] { part["city"] == .text("a") } else { false }
        }
      ]
    case .mixed:
      return [
        GeneratedRule(filter: "\(name).owner == 'me'") { world, link in
          if case .link(let target)? = world[link]?[name] { own.holds(world, target) } else { false }
        }
      ]
    case .int, .double, .text, .ints, .mixedList, .mixedSet, .mixedMap, .linkMap, .embeddedList, .embeddedMap:
      return []
    }
  }
}
