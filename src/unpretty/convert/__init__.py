"""Reading records and documents from files of several formats, and writing them in any encoding."""
