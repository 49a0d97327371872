"""The OpenAPI document, built from the routes and schemas."""
