// Placeholder until the first type of Server.
