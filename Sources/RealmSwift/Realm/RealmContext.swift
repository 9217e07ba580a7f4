/// The state that copies of a ``Realm`` share.
final class RealmContext {}
