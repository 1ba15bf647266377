"""One published algorithm per file: configures a search, or stands alone."""
