import GatehouseBSON
import GatehouseTelemetry

/// The JSON of spans as collectors take it (OTLP/HTTP, ExportTraceServiceRequest; identifiers are hexadecimal there, 64-bit numbers
/// texts).
struct TraceEncoding {
  /// The version of the program.
  let version: String

  func bytes(of spans: [Span]) -> [UInt8] {
    let resource: Value = [
      "attributes": .array([
        TraceEncoding.attribute("service.name", .text("gatehouse")),
        TraceEncoding.attribute("service.version", .text(version)),
      ])
    ]
    let scope: Value = [
      "scope": ["name": .string("gatehouse"), "version": .string(version)],
      "spans": .array(spans.map(TraceEncoding.value)),
    ]
    let request: Value = ["resourceSpans": .array([["resource": resource, "scopeSpans": .array([scope])]])]
    return request.plainJSON
  }

  private static func value(of span: Span) -> Value {
    // A clock may say that it is 1970, or earlier.
    let end = UInt64(max(0, span.end.second)) * 1_000_000_000 + UInt64(span.end.nanoseconds)
    let start = end - min(end, UInt64(max(0, span.nanoseconds)))
    var members: Document = [
      "traceId": .string(hexadecimal(span.place.traceHigh) + hexadecimal(span.place.traceLow)),
      "spanId": .string(hexadecimal(span.place.id)),
    ]
    if let parent = span.place.parent { members.append("parentSpanId", .string(hexadecimal(parent))) }
    members.append("name", .string(span.name))
    members.append("kind", .int32(Int32(span.kind.rawValue)))
    members.append("startTimeUnixNano", .string("\(start)"))
    members.append("endTimeUnixNano", .string("\(end)"))
    members.append("attributes", .array(span.attributes.map { attribute($0.name, $0.value) }))
    // Left unset where all went well, as servers are to do.
    members.append("status", .document(span.isError ? ["code": .int32(2)] : [:]))
    return .document(members)
  }

  private static func attribute(_ name: String, _ value: Span.Attribute) -> Value {
    let value: Value =
      switch value {
      case .text(let text): ["stringValue": .string(text)]
      case .number(let number): ["intValue": .string("\(number)")]
      }
    return ["key": .string(name), "value": value]
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    Hexadecimal.text(of: withUnsafeBytes(of: number.bigEndian, Array.init))
  }
}
