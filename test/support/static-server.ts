import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Served {
  /** The address of the folder; ends with a slash. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves a folder on loopback as hosts of static files do: `/a/` is `a/index.html`, `/a` is `a` or `a.html`, and
 * everything else is a 404.
 *
 * @param base path under which the folder is served; starts and ends with a slash
 */
export async function serveFolder(folder: string, base = '/'): Promise<Served> {
  const server = createServer(async ({ url = '' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const name = path.startsWith(base) ? path.slice(base.length) : undefined;
    for (const file of name === undefined
      ? []
      : [name || 'index.html', `${name}index.html`, `${name}.html`]) {
      const content = await readFile(join(folder, file)).catch(() => undefined);
      if (!content) continue;
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream').end(content);
      return;
    }
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}${base}`, close };
}
