/// The statements on `_list_blocks`. `?1` is the list, `?2` its owner; a block is found by where it begins.
enum ListBlockStatements {
  /// → position and number of elements of each block, from the first on.
  static let fromStart = """
    SELECT position, elements FROM _list_blocks WHERE list = ?1 AND owner = ?2 ORDER BY position
    """
  /// → position and number of elements of each block, from the last back.
  static let fromEnd = """
    SELECT position, elements FROM _list_blocks WHERE list = ?1 AND owner = ?2 ORDER BY position DESC
    """
  /// `?3` position → position and number of elements of each block that begins up to there.
  static let upTo = """
    SELECT position, elements FROM _list_blocks WHERE list = ?1 AND owner = ?2 AND position <= ?3 \
    ORDER BY position
    """
  /// → the number of elements in all blocks; no row where there are none: without rows there is no group.
  static let count = "SELECT sum(elements) FROM _list_blocks WHERE list = ?1 AND owner = ?2 GROUP BY list"
  /// `?3` and `?4` two positions → the number of elements in the blocks that begin between them; no row where none does.
  static let countBetween = """
    SELECT sum(elements) FROM _list_blocks \
    WHERE list = ?1 AND owner = ?2 AND position > ?3 AND position < ?4 GROUP BY list
    """
  /// `?3` position → the number of elements of the block.
  static let elements = "SELECT elements FROM _list_blocks WHERE list = ?1 AND owner = ?2 AND position = ?3"
  /// `?3` position, `?4` elements.
  static let insert = "INSERT INTO _list_blocks VALUES (?1, ?2, ?3, ?4)"
  /// `?3` position, `?4` elements.
  static let set = "UPDATE _list_blocks SET elements = ?4 WHERE list = ?1 AND owner = ?2 AND position = ?3"
  /// `?3` position of an element, `?4` number → position of the block that has it, to which the number is added.
  static let add = """
    UPDATE _list_blocks SET elements = elements + ?4 \
    WHERE list = ?1 AND owner = ?2 AND position = (SELECT max(position) FROM _list_blocks \
    WHERE list = ?1 AND owner = ?2 AND position <= ?3) RETURNING position
    """
  /// `?3` position.
  static let remove = "DELETE FROM _list_blocks WHERE list = ?1 AND owner = ?2 AND position = ?3"
  /// `?3` and `?4` two positions: removes the blocks that begin between them.
  static let removeBetween =
    "DELETE FROM _list_blocks WHERE list = ?1 AND owner = ?2 AND position > ?3 AND position < ?4"
  /// Removes all blocks of the list.
  static let clear = "DELETE FROM _list_blocks WHERE list = ?1 AND owner = ?2"
}
