"""What hardware costs: dated prices, currencies, the price book."""
