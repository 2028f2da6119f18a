"""What runs inside an agent: one adapter per agent, standard library only."""
