"""The estimators that users call."""
