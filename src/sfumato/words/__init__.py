"""What sentences say, a file for each language; ``sfumato.data.messages`` reads them."""
