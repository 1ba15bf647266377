"""Mining results that are given away: itemsets, rules, trees and models, and the records that follow from them."""
