/// A part of a trace: work that took from one moment to another (OpenTelemetry, span).
public struct Span: Sendable {
  /// Its numbers are those of OTLP.
  public enum Kind: Int, Sendable {
    case `internal` = 1
    case server = 2
  }

  /// The value of an attribute.
  public enum Attribute: Hashable, Sendable {
    case text(String)
    case number(Int)
  }

  /// The trace that a span is a part of, by the two halves of its identifier, and its place there.
  public struct Place: Hashable, Sendable {
    public let traceHigh: UInt64
    public let traceLow: UInt64
    public let id: UInt64
    /// The span that it is a part of; nil: none.
    public let parent: UInt64?

    public init(traceHigh: UInt64, traceLow: UInt64, id: UInt64, parent: UInt64?) {
      (self.traceHigh, self.traceLow, self.id, self.parent) = (traceHigh, traceLow, id, parent)
    }
  }

  /// Like that of others: no value of a client's.
  public let name: String
  public let kind: Kind
  public let place: Place
  public let end: CalendarTime
  /// How long it took.
  public let nanoseconds: Int
  public var attributes: [(name: String, value: Attribute)] = []
  public var isError = false

  public init(_ name: String, _ kind: Kind, at place: Place, end: CalendarTime, nanoseconds: Int) {
    self.name = name
    self.kind = kind
    self.place = place
    self.end = end
    self.nanoseconds = nanoseconds
  }

  /// A number for a trace or a span that no other has.
  public static func newID() -> UInt64 { .random(in: 1 ... .max) }
}
