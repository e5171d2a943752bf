"""What a lesson calls: pictures with their controls, questions, and what takes a while with a bar."""
