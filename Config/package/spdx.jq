# The bill of materials of a release, SPDX 2.3. Takes $version, $swift, $loaded (names of Debian packages) and $time.
def part($id; $name; $part; $license; $place): {
  SPDXID: "SPDXRef-\($id)", name: $name, versionInfo: $part, downloadLocation: $place, filesAnalyzed: false,
  licenseConcluded: $license, licenseDeclared: $license, copyrightText: "NOASSERTION"
};
def relation($of; $type; $to): {spdxElementId: "SPDXRef-\($of)", relationshipType: $type, relatedSpdxElement: "SPDXRef-\($to)"};
"Apache-2.0 WITH Swift-exception" as $runtime
| {
  spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: "gatehouse-\($version)",
  documentNamespace: "urn:gatehouse:spdx:\($version)",
  creationInfo: {created: $time, creators: ["Tool: Scripts/release"]},
  packages: ([
    part("gatehouse"; "gatehouse"; $version; "Apache-2.0"; "NOASSERTION"),
    part("swift-runtime"; "swift"; $swift; $runtime; "https://github.com/swiftlang/swift"),
    part("swift-dispatch"; "swift-corelibs-libdispatch"; $swift; $runtime; "https://github.com/swiftlang/swift-corelibs-libdispatch")
  ] + ($loaded | map(part("debian-" + gsub("[^A-Za-z0-9.]"; "-"); .; "NOASSERTION"; "NOASSERTION"; "NOASSERTION")))),
  relationships: ([
    relation("DOCUMENT"; "DESCRIBES"; "gatehouse"),
    relation("gatehouse"; "STATIC_LINK"; "swift-runtime"),
    relation("gatehouse"; "STATIC_LINK"; "swift-dispatch")
  ] + ($loaded | map(relation("gatehouse"; "DYNAMIC_LINK"; "debian-" + gsub("[^A-Za-z0-9.]"; "-")))))
}
