"""The shape of tables: how rows are opened, settled, labelled and compared; holds no things."""
