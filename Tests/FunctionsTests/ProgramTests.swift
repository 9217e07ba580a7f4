import FoundationEssentials
import GatehouseBSON
import Glibc
import Synchronization
import Testing

@testable import GatehouseFunctions

/// Functions that are programs.
struct ProgramTests {
  static let python = """
    #!/usr/bin/env python3
    import json, sys
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer = {"result": sum(call["arguments"])}
        except TypeError as error:
            print("cannot add", file=sys.stderr)
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
    """

  @Test(.enabled(if: ProgramPath.find("perl", from: "/") != nil, "perl is not installed"))
  func `a program that leaves its process group is ended with its call`() async throws {
    let config = #"[{"name":"p","time_limit_seconds":1}]"#
    let script = """
      #!/usr/bin/env perl
      <STDIN>;
      setpgrp(0, getpgrp(getppid()));
      open(my $file, ">", "process"); print $file $$; close($file);
      sleep(1000);

      """
    try await FunctionsFixture.with(["config.json": config, "p": script]) { fixture async throws in
      #expect(await fixture.failure("p") == .timedOut(seconds: 1))
      let text = try String(contentsOfFile: "\(fixture.folder)/functions/process", encoding: .utf8)
      let process = try #require(pid_t(text))
      // It is waited for by the pool's thread, and until then a zombie that no signal reaches any more.
      for _ in 0..<1000 where kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(kill(process, 0) == -1)
    }
  }

  @Test func `a program may start processes where its entry says so`() async throws {
    let script = "#!/bin/sh\nread line\necho \"{\\\"result\\\":$(expr 1 + 2)}\"\n"
    try await FunctionsFixture.with([
      "config.json": #"[{"name":"p","starts_processes":true}]"#, "p": script,
    ]) { fixture async throws in
      #expect(try await fixture.call("p") == .int32(3))
    }
  }

  @Test(.enabled(if: ProgramPath.find("perl", from: "/") != nil, "perl is not installed"))
  func `a program that asks before it has had its last reply fails`() async throws {
    let script = #"""
      #!/usr/bin/env perl
      my ($call) = <STDIN> =~ /"call": *"([^"]+)"/;
      my $line = '{"call": "' . $call . '", "question": {"method": "GET", "target": "/v1/collections/Note"}}' . "\n";
      syswrite(STDOUT, $line . $line);
      sleep(1000);

      """#
    let config = #"[{"name":"p","time_limit_seconds":2}]"#
    try await FunctionsFixture.with(["config.json": config, "p": script]) { fixture async throws in
      let asked = Mutex(0)
      await #expect(throws: FunctionError.malformedAnswer) {
        try await fixture.call("p") { _ in
          asked.withLock { $0 += 1 }
          return FunctionsFixture.reply(200, "[]")
        }
      }
      #expect(asked.withLock { $0 } <= 1)
    }
  }
}
