extension Feature {
  /// The collections, the objects in them, and queries of them.
  static let collections = Feature(endpoints: [
    .countObjects, .findObjects, .createObjects, .patchObjects, .deleteObjects, .queryObjects, .readObject,
    .putObject, .patchObject, .deleteObject, .runQuery, .freezeVersion,
  ])
}
