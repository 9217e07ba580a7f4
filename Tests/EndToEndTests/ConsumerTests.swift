import GatehouseTestSupport
import Glibc
import Testing

/// Builds `consumer`, a package of somebody else's, against a tagged clone of this one, as whoever depends on it does.
struct ConsumerTests {
  static let isPossible =
    Machine.program("git") != nil && Machine.program("curl") != nil
    && Machine.run("git -C '\(Machine.root)' rev-parse 2>/dev/null").status == 0

  @Test(.enabled(if: isPossible, "git, curl or the files of a clone are not there"))
  func `a program with a Model and a Query of its own has a gateway in it`() throws {
    let folder = try Folder()
    // The clone has what the working tree has, so that a change is tried before it is committed.
    let build = Machine.run(
      """
      set -e
      exec 2>&1
      cd '\(Machine.root)'
      mkdir '\(folder.path)/gatehouse'
      git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\\0" "$file"; done' sh |
        xargs -0 cp --parents -t '\(folder.path)/gatehouse'
      cd '\(folder.path)/gatehouse'
      git init -q
      git add -A
      git -c user.name=test -c user.email=test@localhost commit -qm test
      git tag 0.1.0
      cp -R Tests/EndToEndTests/consumer '\(folder.path)'
      cd '\(folder.path)/consumer'
      GATEHOUSE_REPOSITORY='file://\(folder.path)/gatehouse' swift build
      """)
    try #require(build.status == 0, "\(build.output.suffix(2_000))")

    let pipe = try Pipe()
    let program = try ChildProcess(
      "\(folder.path)/consumer/.build/debug/shelf", [folder.data], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .descriptor(pipe.writing)])
    let address = pipe.read { $0.hasSuffix("\n") }.dropLast()
    let answer = Machine.run(
      "curl -sS -H 'Content-Type: application/json' -d '[300]' \(address)/v1/functions/longerThan")
    #expect(answer.output == #"["Middlemarch"]"#)
    program.send(SIGKILL)
    program.wait()
  }
}
