"""HTTP itself: request bodies, responses as values, common headers, compression, other origins."""
