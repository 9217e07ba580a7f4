/// The rights of role `member`, which an administrator takes and gives back.
struct MemberAccess {
  /// Whether members may read nothing, for certain, and since which version; nil: that is not certain.
  private(set) var closedSince: Int64?
  /// A number that goes up with each change that is begun.
  private(set) var edition = 0

  mutating func willChange() {
    edition += 1
    closedSince = nil
  }

  mutating func didClose(at version: Int64) { closedSince = version }

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
