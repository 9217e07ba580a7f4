// The trigger of this name calls it for each new note that says “urgent”.
exports = function (event) {
  const note = event.fullDocument;
  context.realm.update('Note', note._id, { tags: [...note.tags, 'urgent'] });
};
