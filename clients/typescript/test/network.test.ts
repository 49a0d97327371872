import assert from "node:assert/strict";
import { test } from "node:test";

import { proxyFor } from "../src/network.js";

const proxy = "http://proxy.example.org:3128";
const far = new URL("https://kozyr.example.org");

test("an address has the proxy of its scheme", () => {
  assert.equal(proxyFor(far, { HTTPS_PROXY: proxy }), proxy);
  assert.equal(proxyFor(far, { https_proxy: "proxy.example.org:3128" }), proxy);
  assert.equal(proxyFor(far, { ALL_PROXY: proxy }), proxy);
  assert.equal(proxyFor(far, { HTTP_PROXY: proxy }), undefined);
  assert.equal(proxyFor(new URL("http://kozyr.example.org"), { HTTP_PROXY: proxy }), proxy);
});

test("an address of this machine has no proxy", () => {
  for (const url of ["https://localhost:8000", "https://127.0.0.1", "https://[::1]:8000"]) {
    assert.equal(proxyFor(new URL(url), { HTTPS_PROXY: proxy }), undefined);
  }
});

test("NO_PROXY lists hosts, domains and ports", () => {
  const bypassing = ["kozyr.example.org", "other, example.org", ".example.org", "*", "kozyr.example.org:443"];
  for (const list of bypassing) assert.equal(proxyFor(far, { HTTPS_PROXY: proxy, NO_PROXY: list }), undefined, list);
  for (const list of ["", "zyr.example.org", "example.com", "kozyr.example.org:8443"]) {
    assert.equal(proxyFor(far, { HTTPS_PROXY: proxy, no_proxy: list }), proxy, list);
  }
});
