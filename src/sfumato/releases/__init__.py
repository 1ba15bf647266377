"""What leaves the house, what stays, and the certificate between them."""
