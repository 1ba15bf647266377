"""What single persons asked for: their own guards and frequencies."""
