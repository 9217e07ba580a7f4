import FoundationEssentials
import GatehouseHTTP

@testable import GatehouseAPI

/// The lines of `openapi/openapi.yaml`, by their indentation.
///
/// The document keeps to one layout, so that no parser of YAML is needed; Scripts/check-openapi reads it as
/// YAML, against the specification.
struct OpenAPIDocument {
  private let lines: [Substring]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// One operation.
  struct Operation: Hashable {
    let method: String
    let path: String
    var id = ""
    /// Names of `components/parameters`.
    var parameters: [String] = []
    /// Media types of the request's content.
    var reads: [String] = []
    var statuses: [String] = []
  }

  var operations: [Operation] {
    var operations: [Operation] = []
    var path = ""
    var shared: [String] = []
    var part = ""
    for line in lines.drop(while: { $0 != "paths:" }).dropFirst()
      .prefix(while: { $0.isEmpty || $0.hasPrefix(" ") })
    {
      let indentation = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indentation)
      switch indentation {
      case 2: (path, shared) = (String(text.dropLast()), [])
      case 4 where text != "parameters:":
        // OpenAPI knows the method QUERY from version 3.2 on only.
        let method = text.dropLast().uppercased().replacing("X-QUERY", with: "QUERY")
        operations.append(Operation(method: method, path: path, parameters: shared))
      case 6 where text.hasPrefix("operationId: "):
        operations[operations.count - 1].id = String(text.dropFirst("operationId: ".count))
      case 6 where text.hasPrefix("- "): shared.append(reference(text))
      case 6: part = String(text.prefix { $0 != ":" })
      case 8 where part == "parameters": operations[operations.count - 1].parameters.append(reference(text))
      case 8 where part == "responses":
        operations[operations.count - 1].statuses.append(String(text.dropFirst().prefix(3)))
      case 10 where part == "requestBody":
        operations[operations.count - 1].reads.append(String(text.prefix { $0 != ":" }))
      default: break
      }
    }
    return operations
  }

  /// The last part of a `$ref`.
  private func reference(_ text: Substring) -> String {
    String(text.split(separator: "/").last?.prefix { $0 != "'" } ?? "")
  }

  /// The values of `components/schemas/ProblemCode`.
  var problemCodes: [String] { values(of: "ProblemCode") }

  /// The values of `components/schemas/RequestErrorCode`.
  var requestErrorCodes: [String] { values(of: "RequestErrorCode") }

  private func values(of schema: String) -> [String] {
    lines.drop { $0 != "    \(schema):" }.dropFirst().prefix { $0.hasPrefix("      ") }
      .filter { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }
  }

  /// The components that are referred to, as `parameters/limit`.
  var references: Set<String> {
    let beginning = "$ref: '#/components/"
    return Set(
      lines.flatMap { line in
        line.split(separator: beginning).dropFirst(line.hasPrefix(beginning) ? 0 : 1).map {
          String($0.prefix { $0 != "'" })
        }
      })
  }

  /// The lines of each component that can be referred to, by names such as `parameters/limit`.
  var components: [String: [Substring]] {
    var components: [String: [Substring]] = [:]
    var (section, key) = ("", "")
    for line in lines.drop(while: { $0 != "components:" }).dropFirst() {
      switch line.prefix(while: { $0 == " " }).count {
      case 2: section = String(line.dropFirst(2).dropLast())
      case 4:
        key = "\(section)/\(line.dropFirst(4).prefix { $0 != ":" })"
        components[key] = [line]
      default: components[key]?.append(line)
      }
    }
    return components
  }

  /// The names of the fields that responses have.
  var responseFields: Set<String> {
    var names: Set<String> = []
    var isWithin = false
    for line in lines {
      let text = line.drop { $0 == " " }
      if text == "headers:" {
        isWithin = true
      } else if isWithin, text.contains(": {$ref: '#/components/headers/") {
        names.insert(String(text.prefix { $0 != ":" }))
      } else {
        isWithin = false
      }
    }
    return names
  }

  /// The names of those of `components/parameters` whose `in` is `query`, by their keys.
  var queryParameters: [String: String] {
    var names: [String: String] = [:]
    var (key, name) = ("", "")
    let section = lines.drop { $0 != "  parameters:" }.dropFirst().prefix { $0.hasPrefix("    ") }
    for line in section {
      if !line.hasPrefix("     ") { key = String(line.dropFirst(4).dropLast()) }
      if line.hasPrefix("      name: ") { name = String(line.dropFirst(12)) }
      if line == "      in: query" { names[key] = name }
    }
    return names
  }
}
