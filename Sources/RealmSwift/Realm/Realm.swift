/// A Realm: objects, and the transactions that change them.
public struct Realm {
  let context: RealmContext
}
