"""Pages for people: each one HTML document that needs nothing else, and the look they share. The planner's pages use it too."""
