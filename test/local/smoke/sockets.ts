import type { SampleStack } from '../../../local/sample/stack.ts';
import { type OpenSocket, openSocket } from './socket.ts';
import type { Visitor } from './visitor.ts';

/** Tries connections that are refused, uses one that is allowed, and returns those still open. */
export async function walkSockets(
  { url, school }: SampleStack,
  { check, tokenOf }: Visitor,
): Promise<readonly OpenSocket[]> {
  const open: OpenSocket[] = [];
  const board = (location?: string) =>
    `${url.replace('http', 'ws')}/ws${location === undefined ? '' : `?location=${location}`}`;
  const expectRefusal = async (expected: number, who: string | undefined, why: string, location?: string) => {
    const seen = await openSocket(board(location), who === undefined ? undefined : await tokenOf(who));
    if (typeof seen !== 'number') seen.close();
    check(`${expected} for ${who ?? 'nobody'}: a connection ${why}`, seen === expected, seen);
  };
  await expectRefusal(401, undefined, 'without a token', school.north);
  await expectRefusal(401, 'tina@school.example', 'without its location');
  await expectRefusal(403, 'tina@school.example', 'at another school', school.south);
  await expectRefusal(403, 'dora@school.example', 'of a disabled user', school.south);
  await expectRefusal(
    403,
    'tina@school.example',
    'with two locations',
    `${school.north}&location=${school.south}`,
  );
  const tampered = await openSocket(board(school.north), `${await tokenOf('ada@school.example')}x`);
  check('401 for a connection with a token that was tampered with', tampered === 401, tampered);
  const socket = await openSocket(board(school.north), await tokenOf('tina@school.example'));
  check('101 for tina@school.example: a connection', typeof socket !== 'number', socket);
  if (typeof socket !== 'number') {
    const first = await socket.ask({ action: 'board' });
    const { subject, allowedBy } = (first.you ?? {}) as { subject?: string; allowedBy?: string };
    check(
      "a message on it reaches its route, with the authorizer's context",
      first.route === 'board' && subject?.startsWith('user:') === true && allowedBy === 'role',
      first,
    );
    const second = await socket.ask('not even JSON');
    const again = (second.you as { subject?: string } | undefined)?.subject;
    check(
      'another message reaches $default, with the same context',
      second.route === '$default' && again === subject,
      second,
    );
    const third = await socket.ask({ action: '$connect' });
    check("no message reaches the connection's own routes", third.route === '$default', third);
    open.push(socket);
  }
  return open;
}
