"""JSON as text: finding documents, removing their white space, proving that nothing else changed."""
