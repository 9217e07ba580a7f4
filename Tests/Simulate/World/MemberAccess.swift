/// The rights of role `member`, which an administrator takes and gives back.
struct MemberAccess {
  /// Whether members may read nothing, for certain, and since which version; nil: that is not certain.
  private(set) var closedSince: Int64?
  /// A number that goes up with each change that is begun.
  private(set) var edition = 0
  /// Until when a request whose answer did not come may still open what was closed since.
  private var doubtEnd: UInt64 = 0

  mutating func willChange() {
    edition += 1
    closedSince = nil
  }

  /// Nobody knows whether members have their rights again, nor when: messages take seconds, and are sent on for some more.
  mutating func mayOpen(at now: UInt64) { doubtEnd = now + 30_000_000_000 }

  mutating func didClose(at version: Int64, now: UInt64) {
    if now >= doubtEnd { closedSince = version }
  }

  /// The roles as the gateway is given them. Users see what members do.
  static func roles(areOpen: Bool) -> String {
    let all = [
      ("guest", "owner == 'other'"), ("member", areOpen ? "owner == 'me'" : "false"),
      ("user", "owner == 'me'"),
    ]
    let roles = all.map { name, rule in
      let rule = rule == "false" ? rule : "\"\(rule)\""
      return
        #""\#(name)":{"classes":{"Item":{"read":\#(rule),"write":\#(rule),"fields":{"secret":{"read":false}}}}}"#
    }
    return "{\(roles.joined(separator: ","))}"
  }
}
