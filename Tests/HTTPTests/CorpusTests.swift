import GatehouseFuzzTargets
import GatehouseTestSupport
import Glibc
import Testing

private let folder = "\(Machine.root)/Tests/Corpus/"

/// The content of the files of a folder.
private func files(of path: String) -> [[UInt8]] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var files: [[UInt8]] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard !name.hasPrefix("."), let file = fopen("\(path)/\(name)", "r") else { continue }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    files.append(Array(bytes[..<fread(&bytes, 1, bytes.count, file)]))
  }
  return files
}

@Test(arguments: FuzzTarget.allCases)
func `what fuzzing has found before holds`(target: FuzzTarget) {
  let files = files(of: folder + target.rawValue)
  #expect(files.count > 10)
  for file in files {
    for cut in UInt8(0)..<8 {
      file.withUnsafeBytes { target.run($0) }
      ([cut] + file.dropFirst()).withUnsafeBytes { target.run($0) }
    }
  }
}
