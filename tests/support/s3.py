"""An S3 server in this process, with an empty bucket."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from tests.support.ports import free_port


@contextmanager
def s3_server() -> Iterator[Mapping[str, str]]:
    """Start the server, and yield the environment variables of a service that archives its matches there."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # the server logs a line for each request
    server = ThreadedMotoServer("127.0.0.1", free_port(), verbose=False)
    server.start()
    bucket = f"kozyr-{secrets.token_hex(8)}"  # all servers of a process have the same buckets
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        client: Any = boto3.client("s3", endpoint_url=address, region_name="us-east-1", **keys)
        client.create_bucket(Bucket=bucket)
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "KOZYR_ARCHIVE_URL": f"s3://{bucket}/league",
        }
    finally:
        server.stop()
