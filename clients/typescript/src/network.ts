import { readFileSync } from "node:fs";

import { Agent, ProxyAgent, type Dispatcher } from "undici";

type Environment = Record<string, string | undefined>;

/** Return what sends the requests to an address: through the proxy that the environment names, or directly. */
export function dispatcherFor(url: URL, environment: Environment): Dispatcher {
  const file = environment.SSL_CERT_FILE;
  const trusted = file ? { ca: certificates(file) } : {};
  const uri = proxyFor(url, environment);
  return uri ? new ProxyAgent({ uri, requestTls: trusted, proxyTls: trusted }) : new Agent({ connect: trusted });
}

/** Return the proxy for an address. Requests to this machine bypass any proxy. */
export function proxyFor(url: URL, environment: Environment): string | undefined {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
  const proxy = names.map((name) => environment[name]).find(Boolean);
  const isOwn = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (!proxy || isOwn || bypasses(url, environment.no_proxy ?? environment.NO_PROXY ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Return whether NO_PROXY lists the host or a domain above it. */
function bypasses(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    const [, host = "", wantedPort] = /^\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (!host || (wantedPort && wantedPort !== port)) return false;
    return host === "*" || url.hostname === host || url.hostname.endsWith(`.${host}`);
  });
}

function certificates(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new TypeError(`SSL_CERT_FILE can't be read: ${(error as Error).message}`);
  }
}
