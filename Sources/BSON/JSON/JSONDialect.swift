/// How a JSON text is understood.
public enum JSONDialect: Hashable, Sendable {
  /// RFC 8259: keys that begin with `$` are keys like others.
  case plain
  /// MongoDB Extended JSON v2, canonical, relaxed and (for binaries and patterns) legacy.
  case extended
}
