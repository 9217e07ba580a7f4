import GatehouseHTTP
import GatehouseStorage

extension Response {
  /// Says in Preference-Applied (RFC 7240) when what was written is on the disk, where somebody has asked, or where it is later than the
  /// answer.
  mutating func tellDurability(of call: Call, by setting: Durability) {
    guard call.endpoint.takesDurability, (200..<300).contains(status.rawValue) else { return }
    // A write that did otherwise has said so.
    guard fields["preference-applied"]?.contains("durability=") != true else { return }
    let durability = call.preferences.durability ?? setting
    guard call.preferences.durability != nil || durability != .full else { return }
    append(durability: durability)
  }

  /// Says so of a write that is on the disk whatever was asked for.
  mutating func tellFullDurability(of call: Call, by setting: Durability) {
    guard (call.preferences.durability ?? setting) != .full else { return }
    append(durability: .full)
  }

  private mutating func append(durability: Durability) {
    let preference = "durability=\(durability.token)"
    guard let others = fields["preference-applied"] else {
      return fields.append("preference-applied", preference)
    }
    // One line: many clients look at the first only.
    let rest = fields.lines.filter { $0.name != "preference-applied" }
    fields = Fields(rest + [Fields.Line(name: "preference-applied", value: "\(others), \(preference)")])
  }
}

extension Endpoint {
  /// Whether it writes objects, or calls functions that do.
  fileprivate var takesDurability: Bool { records == .writes || records == .functionCalls }
}
