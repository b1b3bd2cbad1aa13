import { createLambdaEndpoint } from '../../../local/lambda/endpoint.ts';
import { listen } from '../../support/listening.ts';

/** Serves provisioning as a function until the test has ended; answers the URL of the endpoint. */
export const serveFunction = (provisioning: (event: unknown) => Promise<unknown>): Promise<string> =>
  listen(createLambdaEndpoint({ functions: { provisioning }, clock: Date.now }));
