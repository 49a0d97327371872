"""The HTTP interface: resources, schemas, authentication, errors. Knows no rule."""
