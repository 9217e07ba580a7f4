import FoundationEssentials
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

@Suite struct ContractTests {
  private static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
  private let document = OpenAPIDocument(text)

  @Test func `the document served is the one in the repository`() async throws {
    let file = try String(contentsOfFile: Machine.root + "/openapi/openapi.yaml", encoding: .utf8)
    #expect(file == Self.text)
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/openapi.yaml")
      #expect((answer.status, answer.fields) == (200, ["content-type": "application/yaml"]))
      #expect(answer.text == file)
    }
  }

  @Test func `the document has the routes of the table, and no others`() {
    let described = document.operations.map { "\($0.method) \($0.path) \($0.id)" }
    let routed = Endpoint.all.map { "\($0.method.rawValue) \($0.template) \($0.name)" }
    #expect(described.sorted() == routed.sorted())
  }

  @Test func `each operation has the parameters that its endpoint understands`() {
    let query = document.queryParameters
    #expect(Set(query.values) == Set(Parameters.Name.allCases.map(\.rawValue)))
    for operation in document.operations {
      let endpoint = Endpoint.all.first { $0.name == operation.id }
      let described = operation.parameters.compactMap { query[$0] }
      #expect(described == endpoint?.parameters.map(\.rawValue), "\(operation.id)")
      let captures = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
        $0.dropFirst().dropLast()
      }
      #expect(operation.parameters.prefix(captures.count).elementsEqual(captures.map(String.init)))
    }
  }

  @Test func `each operation reads the media types that its endpoint reads`() {
    for operation in document.operations {
      let endpoint = Endpoint.all.first { $0.name == operation.id }
      #expect(operation.reads == endpoint?.reads.map(\.name), "\(operation.id)")
    }
  }

  @Test func `what the document refers to is there`() {
    let components = document.components
    #expect(document.references.count > 50)
    #expect(document.references.subtracting(components.keys) == [])
  }

  /// Clients that are made of the document send what has a default, also where the server, which knows what is left
  /// out from what is given, refuses it: a parameter of event streams beside JSON, a mode beside a deletion.
  @Test func `nothing that clients send has a default`() {
    for (name, lines) in document.components {
      // A property of that name is none.
      let defaults = lines.filter { $0.contains("default: ") && !$0.contains(" default: {") }
      #expect(defaults.isEmpty, "\(name)")
    }
  }

  @Test func `what is part of a path is required`() {
    for (name, lines) in document.components where lines.contains("      in: path") {
      #expect(lines.contains("      required: true"), "\(name)")
    }
  }

  /// The pipeline checks host, page, parameters, method, content and caller of every request.
  @Test func `each operation has the statuses that its declaration can lead to`() throws {
    for operation in document.operations where !operation.statuses.contains("4XX") {
      let endpoint = try #require(Endpoint.all.first { $0.name == operation.id })
      var expected: Set = ["400", "403", "405", "421"]
      if !endpoint.answers.isEmpty { expected.insert("406") }
      if !endpoint.reads.isEmpty { expected.formUnion(["413", "415"]) }
      if endpoint.requires != .nothing { expected.formUnion(["401", "429"]) }
      #expect(expected.subtracting(operation.statuses) == [], "\(operation.id)")
    }
  }

  @Test func `changes and deletions by filter are described to require it, and do`() async throws {
    #expect(document.components["parameters/requiredFilter"]?.contains("      required: true") == true)
    try await Fixture.with { fixture in
      for endpoint in [Endpoint.patchObjects, .deleteObjects] {
        let operation = document.operations.first { $0.id == endpoint.name }
        #expect(operation?.parameters.contains("requiredFilter") == true)
        let content = endpoint == .patchObjects ? Array("{}".utf8) : nil
        let answer = try await fixture.send(
          endpoint.method, "/v1/collections/City", ["content-type": "application/json"], content)
        #expect((answer.status, answer.code) == (400, "missing_parameter"), "\(endpoint)")
      }
    }
  }

  @Test func `the document has the codes of all problems`() {
    #expect(document.problemCodes == Problem.Code.allCases.map(\.rawValue))
    for code in Problem.Code.allCases {
      // Once in the list, and once in the response of its status.
      #expect(Self.text.components(separatedBy: "`\(code.rawValue)`").count >= 2, "\(code)")
    }
  }

  @Test func `the document has the codes of all rules of HTTP, spelt like the others`() {
    let codes = RequestError.Rule.allCases.map(\.rawValue)
    #expect(document.requestErrorCodes == codes)
    #expect(codes.allSatisfy { $0.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz01_".utf8.contains($0) } })
  }

  @Test func `pages of other origins may read every field that answers have`() {
    let described = document.responseFields.map { $0.lowercased() }
    // Fields that every page may read (Fetch §3.2.6), and those that are not for pages.
    let others: Set<String> = ["vary"]
    #expect(described.contains("etag"))
    #expect(Set(described).subtracting(others).isSubset(of: CORSPolicy.usualExposedFields))
  }

  @Test func `the page about API has a line for each code, with its status`() throws {
    let page = try String(contentsOfFile: Machine.root + "/Sources/API/API.docc/API.md", encoding: .utf8)
    for code in Problem.Code.allCases {
      #expect(page.contains("| \(code.status.rawValue) | `\(code.rawValue)` |"), "\(code)")
    }
  }
}
