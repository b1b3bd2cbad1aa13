import { createNodeServer } from '../../authorizer/service/node-server.ts';
import { createHandleFrom } from '../../scim/compose.ts';
import { NO_LOG } from '../support/log.ts';

/** A SCIM server in a process of its own, by the variables of its environment: it says where it listens. */
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const server = createNodeServer({
  handle: createHandleFrom(process.env, { log: () => undefined }),
  isReachable: async () => true,
  maxRequests: 100,
  graceMs: 0,
  log: NO_LOG,
  clock,
});
console.log(`listening http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`);
