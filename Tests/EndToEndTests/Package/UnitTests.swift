import FoundationEssentials
import GatehouseTestSupport
import Testing

/// The units of systemd, as systemd itself sees them.
@Suite struct UnitTests {
  private static func has(_ tool: String) -> Bool {
    let isThere = Machine.program(tool) != nil
    if !isThere { print("Skipping a test: no \(tool).") }
    return isThere
  }

  private static let packaged = ["gatehouse", "gatehouse-backup"]

  private func packagedUnit(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Machine.root)/Config/package/\(name).service", encoding: .utf8)
  }

  private func unitsOnPage() throws -> [String] {
    try PageBlock.blocks(of: "Sources/App/App.docc/Operations.md", in: "ini").map(\.text)
  }

  /// Returns the unit in a file, with the program where it is here: systemd looks whether it is there.
  private func write(_ unit: String, in folder: Folder) throws {
    let here = unit.replacing("/usr/local/bin/gatehouse", with: Gatehouse.path)
      .replacing("/usr/bin/gatehouse", with: Gatehouse.path)
    try here.write(toFile: folder.file("gatehouse.service"), atomically: false, encoding: .utf8)
  }

  @Test(.enabled(if: has("systemd-analyze"))) func `systemd finds nothing wrong with the units`() throws {
    for unit in try unitsOnPage() + Self.packaged.map(packagedUnit) {
      let folder = try Folder()
      try write(unit, in: folder)
      // Where man is not installed, or the pages are not, systemd says that they cannot be found.
      let text = try folder.shell(
        "systemd-analyze verify --man=no ./gatehouse.service && echo verified")
      #expect(text == "verified\n")
    }
  }

  @Test(.enabled(if: has("systemd-analyze")), arguments: packaged)
  func `a unit of the package exposes little`(name: String) throws {
    let folder = try Folder()
    try write(try packagedUnit(name), in: folder)
    let text = try folder.shell(
      "systemd-analyze security --offline=yes --threshold=19 ./gatehouse.service >/dev/null && echo below")
    #expect(text == "below\n")
  }
}
