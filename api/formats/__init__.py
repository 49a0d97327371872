"""Representations other than JSON: CSV tables and SVG pictures, chosen by `Accept`."""
