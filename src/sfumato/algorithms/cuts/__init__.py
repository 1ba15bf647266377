"""Cuts of trees and of ordered values, enumerated with bounds or bred."""
