import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openConnection, prepare } from '../../bench/load/connection.ts';

test('a connection that the server closes after many requests is opened again', async () => {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => outgoing.end('{"decision":true}'));
  });
  server.maxRequestsPerSocket = 3;
  let sockets = 0;
  server.on('connection', () => (sockets += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const target = { url, token: 'a token', allowed: /"decision":true/ };
  const connection = await openConnection(target);
  for (let n = 0; n < 10; n++) await connection.ask(prepare(target, { body: '{}', allowed: true }));
  connection.close();
  expect(sockets).toBe(4);
});
