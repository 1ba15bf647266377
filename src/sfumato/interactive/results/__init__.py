"""What mining results tell of the records behind them: itemsets, rules, trees and models that are given away."""
