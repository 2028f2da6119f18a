"""JSON as text: finding documents, removing their whitespace, proving that nothing else changed."""
