import GatehouseAPI
import GatehouseAudit

/// Whether anything is recorded.
enum AuditMode: String, SettingValue {
  case off
  case onDemand

  static var expectation: String { "off or onDemand" }
}

/// The accesses that are recorded by class without a client asking for it.
struct AuditedClasses: Hashable, SettingValue {
  var kinds: [String: Policy.Kinds] = [:]

  static var expectation: String { "classes with read, write or read+write behind a colon, or none" }

  init() {}

  init?(settingText: String) {
    if settingText == "none" { return }
    for part in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2, !halves[0].isEmpty, kinds[halves[0]] == nil else { return nil }
      var found: Policy.Kinds = []
      for word in halves[1].split(separator: "+", omittingEmptySubsequences: false) {
        switch word {
        case "read": found.insert(.read)
        case "write": found.insert(.write)
        default: return nil
        }
      }
      kinds[halves[0]] = found
    }
  }

  var settingText: String {
    if kinds.isEmpty { return "none" }
    return kinds.sorted { $0.key < $1.key }.map { name, kinds in
      let words = [(Policy.Kinds.read, "read"), (.write, "write")].filter { kinds.contains($0.0) }
      return "\(name):\(words.map(\.1).joined(separator: "+"))"
    }.joined(separator: ",")
  }
}

/// The events that are recorded and belong to no class.
struct AuditedEvents: Hashable, SettingValue {
  var kinds: Set<StoredEvent.Kind> = []

  /// The kinds that can be chosen.
  static let all: [StoredEvent.Kind] = [.refused, .authentication, .function, .schema, .administration]

  static var expectation: String {
    "refused, authentication, function, schema and administration with commas between, or none"
  }

  init() {}

  init?(settingText: String) {
    if settingText == "none" { return }
    for word in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = StoredEvent.Kind(rawValue: String(word)), AuditedEvents.all.contains(kind) else {
        return nil
      }
      kinds.insert(kind)
    }
  }

  var settingText: String {
    kinds.isEmpty ? "none" : kinds.map(\.rawValue).sorted().joined(separator: ",")
  }
}

/// The details of a request that are recorded with its events.
struct AuditedDetails: Hashable, SettingValue {
  var details: [AuditDetail] = []

  static var expectation: String {
    AuditDetail.allCases.map(\.rawValue).joined(separator: ", ") + " with commas between, or none"
  }

  init() {}

  init?(settingText: String) {
    if settingText == "none" { return }
    for word in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      guard let detail = AuditDetail(rawValue: String(word)), !details.contains(detail) else { return nil }
      details.append(detail)
    }
  }

  var settingText: String {
    details.isEmpty ? "none" : details.map(\.rawValue).joined(separator: ",")
  }
}
