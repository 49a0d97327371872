"""The OpenAPI documents, built from the routes and schemas."""
