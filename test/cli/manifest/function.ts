import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createLambdaEndpoint } from '../../../local/lambda/endpoint.ts';

/** Serves provisioning as a function until the test has ended; answers the URL of the endpoint. */
export async function serveFunction(provisioning: (event: unknown) => Promise<unknown>): Promise<string> {
  const endpoint = createLambdaEndpoint({ functions: { provisioning }, clock: Date.now });
  const server = createServer(endpoint);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
