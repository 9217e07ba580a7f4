import FoundationEssentials
import GatehouseConsole
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

@Suite struct ConsoleTests {
  @Test(arguments: ["/", "/console"])
  func `browsers get the page, with a policy that lets nothing else in`(path: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, path, ["accept": "text/html,*/*;q=0.8"])
      #expect((answer.status, answer.content) == (200, ConsoleFile.page.bytes))
      #expect(answer.fields["content-type"] == "text/html; charset=utf-8")
      let policy = try #require(answer.fields["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
      #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
      #expect(policy.contains("require-trusted-types-for 'script'"))
      let tag = try #require(answer.fields["etag"])
      let again = try await fixture.send(.get, path, ["accept": "text/html", "if-none-match": tag])
      #expect((again.status, again.content) == (304, []))
      #expect(again.fields["content-security-policy"] == policy && again.fields["etag"] == tag)
    }
  }

  @Test func `whoever does not ask for HTML finds nothing without a path`() async throws {
    try await Fixture.with { fixture in
      for fields in [[:], ["accept": "*/*"], ["accept": "application/json"]] {
        let answer = try await fixture.send(.get, "/", fields)
        #expect((answer.status, answer.code) == (404, "route_not_found"))
      }
      for path in [
        "/console/", "/console/main.js", "/console/Page/../Page/main.js", "/console/Page/index.html",
      ] {
        let answer = try await fixture.send(.get, path)
        #expect((answer.status, answer.code) == (404, "route_not_found"), "\(path)")
      }
    }
  }

  @Test func `each file has its media type and its own entity tag`() async throws {
    try await Fixture.with { fixture in
      var tags: Set<String> = []
      for file in ConsoleFile.all {
        let answer = try await fixture.send(.get, "/console/\(file.path)")
        #expect((answer.status, answer.content) == (200, file.bytes), "\(file.path)")
        #expect(
          answer.fields["content-type"] == file.mediaType
            && answer.fields["x-content-type-options"] == "nosniff")
        tags.insert(answer.fields["etag"] ?? "")
      }
      #expect(tags.count == ConsoleFile.all.count)
    }
  }

  @Test func `all files together have at most 150 KiB`() {
    let size = ConsoleFile.all.reduce(ConsoleFile.page.bytes.count) { $0 + $1.bytes.count }
    #expect(size <= 150 * 1024, "\(size)")
  }

  @Test
  func `every file in the folder is served, without its comments and with all of its code but for spaces`()
    throws
  {
    let folder = "\(Machine.root)/Sources/Console"
    for file in ConsoleFile.all {
      let source = try String(contentsOfFile: "\(folder)/\(file.path)", encoding: .utf8)
      let isCode = !file.path.hasSuffix(".svg")
      let lines = source.split(separator: "\n").map { isCode ? $0.drop { $0 == " " } : $0 }
      let marks = file.path.hasSuffix(".css") ? ["/*"] : isCode ? ["//", "/**", "*"] : []
      let code = lines.filter { line in !line.isEmpty && !marks.contains { line.hasPrefix($0) } }
      let served = String(decoding: file.bytes, as: UTF8.self)
      let isScript = file.path.hasSuffix(".js")
      let withoutSpaces = { (text: String) in isScript ? text.filter { $0 != " " } : text }
      #expect(withoutSpaces(served) == withoutSpaces(code.map { "\($0)\n" }.joined()), "\(file.path)")
      guard isScript else { continue }
      // Texts are as they were written.
      for text in source.matches(of: /'[^'"`\/\\\n]* [^'"`\/\\\n]*'/) where !served.contains(text.output) {
        let line = source[..<text.startIndex].split(separator: "\n").last ?? ""
        #expect(line.contains(/["`\/\\']/), "\(file.path): \(text.output)")
      }
    }
    let names = try ["Base", "Data", "Live", "Page", "Place", "Plots", "Run"].flatMap { part in
      try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)").map { "\(part)/\($0)" }
    }
    #expect(Set(names) == Set(ConsoleFile.all.map(\.path) + [ConsoleFile.page.path]))
  }

  /// The browsers' policy would refuse it; it is not written in the first place.
  @Test func `no string becomes HTML or a script, and nothing is asked of other servers`() {
    for file in ConsoleFile.all + [.page] {
      let text = String(decoding: file.bytes, as: UTF8.self)
      for word in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
        "localStorage", "onclick=",
      ] {
        #expect(!text.contains(word), "\(file.path) has \(word)")
      }
      for address in text.matches(of: /https?:\/\/[^'" )]*/) {
        #expect(address.output == "http://www.w3.org/2000/svg", "\(file.path)")
      }
    }
  }
}
