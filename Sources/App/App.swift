// Placeholder until the first type of App.
