import GatehouseTestSupport
import Testing

/// Asks the shells themselves what they would offer.
@Suite struct CompletionsTests {
  private static func has(_ shell: String) -> Bool {
    let isThere = Machine.program(shell) != nil
    if !isThere { print("Skipping a test: no \(shell).") }
    return isThere
  }

  /// Returns the lines that a shell writes when it runs the text behind its completion script.
  private func lines(of shell: String, running text: String) throws -> [String] {
    let folder = try Folder()
    let script = try Gatehouse.run(["completions", shell], in: folder)
    #expect(script.status == 0)
    _ = try folder.write(script.output + text, to: "script")
    return try folder.shell("\(shell) script").split(separator: "\n").map(String.init)
  }

  /// Returns what bash offers where the last word is being typed.
  private func offers(_ words: [String]) throws -> [String] {
    try lines(
      of: "bash",
      running: """
        COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
        COMP_CWORD=\(words.count - 1)
        _gatehouse
        printf '%s\\n' "${COMPREPLY[@]}"
        """)
  }

  @Test(
    .enabled(if: has("bash")),
    arguments: [
      (["gatehouse", "se"], ["serve"]),
      (["gatehouse", "schema", ""], ["apply", "diff", "show"]),
      (["gatehouse", "key", "r"], ["revoke"]),
      (["gatehouse", "serve", "--tls-c"], ["--tls-certificate"]),
      (["gatehouse", "serve", "--scheduling", "b"], ["batch"]),
      (["gatehouse", "import", "City", "scr"], ["script"]),
      (["gatehouse", "completions", ""], ["bash", "zsh", "fish"]),
      (["gatehouse", "version", "--"], ["--help"]),
      (["gatehouse", "serve", "--limits-fields", "1"], []),
    ])
  func `bash offers what may follow`(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }

  @Test(.enabled(if: has("fish"))) func `fish offers what may follow`() throws {
    func offers(_ line: String) throws -> [String] {
      try lines(of: "fish", running: "complete -C '\(line)'\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try offers("gatehouse se") == ["serve"])
    #expect(try offers("gatehouse schema ").contains("apply"))
    #expect(try offers("gatehouse serve --tls-c") == ["--tls-certificate"])
    #expect(try offers("gatehouse serve --scheduling b") == ["batch"])
  }

  @Test(.enabled(if: has("zsh"))) func `zsh reads the script`() throws {
    let folder = try Folder()
    let script = try Gatehouse.run(["completions", "zsh"], in: folder).output
    #expect(script.hasPrefix("#compdef gatehouse\n"))
    _ = try folder.write(
      "autoload -U compinit; compinit -u -D\n" + script + "whence -w _gatehouse\n", to: "script")
    #expect(try folder.shell("zsh script") == "_gatehouse: function\n")
  }

  @Test func `a shell that is not known is refused`() throws {
    let outcome = try Gatehouse.run(["completions", "csh"], in: try Folder())
    #expect(outcome.status == 2)
    #expect(outcome.error.contains("bash, zsh or fish"))
  }
}
