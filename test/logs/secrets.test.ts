import { expect, test } from 'vitest';
import { EVALUATE } from '../../authzen/questions.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { createFunctions, type Functions } from './functions.ts';

/**
 * No line of any function holds a token, a secret, a hash, an email, or the name or the address of a person: over
 * requests that are allowed, refused and fail, and errors whose texts quote all of these.
 */
const functions: Functions = await createFunctions();

const IP = '203.0.113.9';
const PAGES = ['roster', 'payroll', 'roster/more', 'eyJ%20', 'ann.seeded@example.com', 'a*b'];
const CLAIMS = [
  {},
  { sub: 'ann.seeded@example.com' },
  { sub: 'Ann Seeded' },
  { aud: 'other' },
  { exp: 1 },
  { sub: 7 },
];

test('over requests, evaluations and commands that succeed, are refused and fail', async () => {
  const { world, eve, ann, north, secrets, lines } = functions;
  const quoting = (): string => `it quotes ${secrets().join(' and ')} of ${IP}`;
  const errors = () => [
    Object.assign(new Error(quoting()), { name: 'TimeoutError', code: quoting() }),
    new TypeError(quoting(), { cause: new GatehouseError('throttled', 'BatchGetItem was throttled') }),
    Object.assign(new Error('no'), { credentials: quoting(), $response: { body: quoting() } }),
    quoting(),
  ];
  const failing = (error: unknown): Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'> => {
    const fail = () => Promise.reject(error);
    return { getMany: fail, getSnapshot: fail, list: fail, listAll: fail };
  };
  const logged = { DECISION_LOG: 'all' };
  const environments = [logged, { ...logged, HTTP_ANSWER: 'policy' }, { ...logged, SUBJECT_FROM: 'email' }];
  const authorizers = [
    ...environments.map((env) => functions.authorizer(env)),
    ...errors().map((error) => functions.authorizer(logged, { reader: failing(error) })),
    functions.authorizer(logged, { fetch: () => Promise.reject(new Error(quoting())) }),
    functions.authorizer(logged, { fetch: async () => new Response(quoting()) }),
  ];
  for (const page of PAGES)
    for (const claims of [...CLAIMS, { sub: eve }]) {
      const event = await functions.event(page, claims);
      const wrong = { ...event, headers: { authorization: quoting() } };
      const events = [event, wrong, await functions.restEvent(page, claims)];
      for (const authorizer of authorizers) for (const each of events) await authorizer(each).catch(() => {});
    }

  const apis = [
    functions.authzen(logged),
    ...errors().map((error) => functions.authzen(logged, { reader: failing(error) })),
  ];
  const subjects = [ann, eve, 'ann.seeded@example.com', 'Ann Seeded', 'nobody'];
  for (const evaluate of apis)
    for (const id of subjects)
      for (const name of ['roster', EVALUATE, quoting()]) {
        const evaluation = { subject: { type: 'user', id, properties: { email: id } }, action: { name } };
        const body = { ...evaluation, resource: { type: 'location', id: name === 'roster' ? north : id } };
        await evaluate('/access/v1/evaluation', body);
        await evaluate('/access/v1/evaluation', body, { authorization: `Bearer ${quoting()}` });
      }

  for (const error of errors()) {
    const send = () => Promise.reject(error);
    const [email, displayName] = ['new.ann.seeded@example.com', 'Ann Seeded'];
    const provision = functions.provisioning({ writer: { send }, reader: world.reader });
    await provision({
      command: 'user.create',
      input: { email, displayName },
      actor: email,
      origin: { ipAddress: IP },
    });
    await provision({ command: quoting().slice(0, 60), input: {} });
  }
  expect(() => functions.startWrong({ TOKEN_ISSUER: quoting(), TOKEN_AUDIENCE: quoting() })).toThrow();

  const written = new Map<unknown, number>();
  for (const line of lines) {
    const { message } = JSON.parse(line);
    written.set(message, (written.get(message) ?? 0) + 1);
    for (const secret of [...secrets(), 'ann.seeded', 'Seeded', 'seeded', IP])
      if (line.includes(secret)) expect.fail(`a line holds what is private (${secret}): ${line}`);
  }
  expect([...written.keys()].sort()).toEqual([
    ...[
      ...['command failed', 'credentials refused', 'decision', 'decision log', 'request failed'],
      ...['start failed'],
    ],
  ]);
  for (const message of ['credentials refused', 'decision', 'request failed'])
    expect(written.get(message), message).toBeGreaterThan(100);
});

test('nor does the line of a refresh of keys that fails', async () => {
  const { world, secrets } = functions;
  functions.take();
  let isDown = false;
  const keys = functions.authorizer(
    { DECISION_LOG: 'off' },
    {
      fetch: async () => {
        if (isDown) throw new Error(secrets().join());
        return functions.keys();
      },
    },
  );
  await keys(await functions.event('roster'));
  isDown = true;
  world.clock.advance(11 * 60_000);
  await keys(await functions.event('roster'));
  const lines = functions.take();
  expect(lines.map(({ level, message, code }) => [level, message, code])).toEqual([
    ['WARN', 'keys not refreshed', 'keys_unavailable'],
  ]);
  for (const secret of secrets()) expect(JSON.stringify(lines)).not.toContain(secret);
});
