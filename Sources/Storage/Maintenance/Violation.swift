/// A rule of the file that does not hold.
public enum Violation: Hashable, Sendable {
  /// A line of SQLite's own check.
  case file(String)
  /// Elements of a list, set or map whose object is not there.
  case orphanElements(place: String, count: Int64)
  /// Links to objects that are not there.
  case danglingLinks(place: String, count: Int64)
  /// Embedded objects that no object holds, or several do.
  case embeddedParents(objectType: String, count: Int64)
  /// The number of objects is not what is kept of it.
  case wrongCount(objectType: String, kept: Int64, counted: Int64)
  /// The key that the next object gets is not larger than all that there are.
  case keyReuse(objectType: String, next: Int64, largest: Int64)
  /// Objects whose last change is no commit, or one to come.
  case unknownVersions(objectType: String, count: Int64)
  /// Links inside mixed values that a deletion of their target would miss.
  case unnotedMixedLinks(place: String, count: Int64)
  /// Words of texts that the full-text index lacks, or has and should not.
  case wrongWords(place: String, count: Int64)
  /// Blocks of long lists that do not have as many elements as they should.
  case wrongBlocks(place: String, count: Int64)
  /// Versions between the oldest and the last commit that are not there.
  case missingCommits(Int64)
  /// The floor of the log is this many commits too high: the last one is always kept.
  case logBeyondLastCommit(Int64)
  /// Changes whose commit is not there.
  case changesWithoutCommit(Int64)
  /// Commits whose changes are not numbered 0, 1, 2, …
  case unnumberedChanges(Int64)
  /// Commits whose time is before that of the one before.
  case timesGoBack(Int64)
  /// Commits whose time is no date.
  case unreadableTimes(Int64)
  /// Commits that are later than now: a clock was ahead.
  case timesAhead(Int64)
  /// Commits up to which the log is said to have had fewer bytes than up to the one before.
  case sizesShrink(Int64)
  /// Commits up to which the log is said to have a number of bytes that leaves no room for more, or is none.
  case uncountableSizes(Int64)
  /// Commits whose changes are gone.
  case emptyCommits(Int64)
  /// Changes whose values cannot be read.
  case unreadableChanges(Int64)
  /// Nulls in a property that cannot be null.
  case nulls(place: String, count: Int64)
  /// A table or an index that the schema needs.
  case missing(String)
  /// Texts, or keys of maps, that are no UTF-8.
  case malformedTexts(place: String, count: Int64)
  /// Keys of maps, and of dictionaries in mixed values, with a zero byte in them, which BSON cannot say.
  case illegalKeys(place: String, count: Int64)
  /// Values that cannot be read.
  case unreadable(place: String, count: Int64)
}
