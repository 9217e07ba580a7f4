/// Everything that can be set, with the values in force.
struct Settings: Sendable {
  var data = "data"
  var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  var allowRemoteWithoutAccessControl = false

  /// Where the settings are looked for when no file is named, from the working directory.
  static let defaultFile = "Config/gatehouse.json"

  /// The one list of them: what is not here does not exist.
  static let table: [Setting] = [
    Setting("data", \.data, "DIR", help: "The data directory; created where there is none."),
    Setting("listen", \.listen, "ADDR:PORT", help: "Where to listen; port 0 takes any free port."),
    Setting(
      "allowRemoteWithoutAccessControl", \.allowRemoteWithoutAccessControl, "true|false",
      help: """
        Listen beyond this machine's loopback addresses. There is no access control yet: whoever can reach \
        the port can read, change and delete everything.
        """),
  ]
}
