"""What the agents themselves keep about their sessions, read only: one module per agent."""
