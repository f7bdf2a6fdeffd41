"""`carrom accept`: a table proves itself before a match. Plan, session and verdict are pure; shells beside."""
