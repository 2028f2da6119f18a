"""What setting up any agent needs: plans as values, applying them, receipts, our own files, the self-test."""
