/// The version of the whole program; CHANGELOG.md names the same.
enum ProductVersion {
  static let text = "0.1.0"
}
