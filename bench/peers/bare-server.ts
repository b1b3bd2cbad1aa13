import { type PeerServer, startPeer } from './peer.ts';

/** Reads each request whole, and answers as an evaluation is answered that is allowed. */
const SCRIPT = `
const body = JSON.stringify({ decision: true, context: { reason: 'role' } });
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
const answer = (incoming, outgoing) =>
  incoming.resume().once('end', () => outgoing.writeHead(200, headers).end(body));
require('node:http').createServer(answer).listen(Number(process.argv[1]), '127.0.0.1');
`;

/**
 * The limit of the machine and of Node: a server that decides nothing. What a server takes beyond it is what its
 * decisions cost.
 *
 * @param bodyOf the requests that it gets
 */
export const startBare = (bodyOf: PeerServer['bodyOf']): Promise<PeerServer> =>
  startPeer({
    words: (http) => ['--eval', SCRIPT, String(http)],
    health: '/',
    fill: async (url) => {
      const target = { url, token: 'none', allowed: /"decision":true/ };
      return { target, bodyOf, isConstant: true };
    },
  });
