import { beforeEach, describe, expect, test } from 'vitest';
import { formatApiToken } from '../../table/api-token.ts';
import { createLogged } from '../support/log.ts';
import { createWorld } from '../support/world.ts';
import { answerTo, serveFor } from './served.ts';
import { createIssuer, httpEvent } from './support.ts';

/** A technical user authenticates with an API token and is then checked like a user. */
const issuer = await createIssuer();
const id: Record<string, string> = {};
const text: Record<string, string> = {};
const DAY = 86_400_000;

async function issue(name: string, user: string, more: Record<string, unknown> = {}): Promise<void> {
  const made = await world.run('token.create', { user, tokenType: 'api', ...more });
  id[`token ${name}`] = made.id;
  text[name] = String(made.token);
}

const MANIFEST = `
pages: [reports]
subjectTypes: [account]
scopes: { Robots: { id: robots, type: account } }
roles: { reader: { id: reader, owner: Robots, allow: [reports] } }
technicalUsers:
  robot: { id: robot, account: Robots, assignments: [{ role: reader, scope: Robots }] }
  other: { id: other, account: Robots }
users: { ann: { id: ann, assignments: [{ role: reader, scope: Robots }] } }
# Of the same type and id as the scope that it asks for.
subjects: { added: { id: robots, type: account, assignments: [{ role: reader, scope: Robots }] } }
routes: [{ method: GET, path: "/accounts/{id}/{page}", permission: "{page}", scope: "account:{id}" }]
`;

const world = await createWorld(MANIFEST);
await issue('robot', 'technical-user:robot');
await issue('other', 'technical-user:other');
await issue('ann', 'ann');
await issue('added', 'account:robots');
world.settle();

const { lines, write, take } = createLogged();
beforeEach(() => void take());

const outcomeOf = (...authorization: readonly string[]): Promise<string> =>
  outcomeIn({}, authorization.join(','));

/** One request to a fresh authorizer: `allow`, the reason of a denial, or the message that it threw. */
async function outcomeIn(
  environment: Record<string, string>,
  authorization: string,
  path = '/accounts/robots/reports',
): Promise<string> {
  const { reader, clock } = world;
  const parts = { reader, clock, log: write };
  const authorizer = serveFor(issuer, parts, { TOKEN_AUDIENCE: 'api', ...environment });
  return answerTo(authorizer, httpEvent('GET', path, { authorization }));
}
const codes = () => take().map(({ code }) => code);

describe('an API token', () => {
  test.each([
    ['of a technical user with a role', 'robot', 'allow'],
    ['of one without', 'other', 'no_grant'],
    ['of a user', 'ann', 'allow'],
    ['of a subject of an added type', 'added', 'allow'],
  ])('%s', async (_what, name, outcome) => {
    expect(await outcomeOf(`Bearer ${text[name]}`)).toBe(outcome);
    expect(await outcomeOf(`bearer ${text[name]}`)).toBe(outcome);
  });

  /** The same token with something else in one place. */
  const forged = (change: { subject?: string; token?: string; secret?: string }): string => {
    const [, , subject = '', token = ''] = String(text.robot).split('_');
    const secret = String(text.robot).slice(-43);
    return formatApiToken(
      { type: 'technical-user', id: change.subject ?? subject },
      change.token ?? token,
      change.secret ?? secret,
    );
  };

  test.each([
    ['with another secret', () => forged({ secret: 'A'.repeat(43) }), 'token_refused'],
    ["with another token's id", () => forged({ token: String(id['token other']) }), 'token_refused'],
    ["in another's name", () => forged({ subject: 'other' }), 'token_refused'],
    ['of a user with the same id', () => String(text.robot).replace('gh1_t_', 'gh1_u_'), 'token_refused'],
    ['cut short', () => String(text.robot).slice(0, -1), 'token_malformed'],
    ['with something after it', () => `${text.robot}A`, 'token_malformed'],
    ['that is only a beginning', () => 'gh1_', 'token_malformed'],
    ['of 10 KB', () => `gh1_${'A'.repeat(10_240)}`, 'token_too_long'],
    ['that nobody has', () => forged({ token: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' }), 'token_refused'],
  ])('%s is refused', async (_what, token, code) => {
    expect(await outcomeOf(`Bearer ${token()}`)).toBe('Unauthorized');
    expect(codes()).toEqual([code]);
    expect(lines.join()).not.toContain('gh1_');
  });

  test('that was revoked or has expired is refused', async () => {
    await issue('short', 'technical-user:robot', {
      expiresAt: new Date(world.clock.now() + DAY).toISOString(),
    });
    await issue('gone', 'technical-user:robot');
    world.settle();
    for (const name of ['short', 'gone']) expect(await outcomeOf(`Bearer ${text[name]}`)).toBe('allow');
    await world.run('token.revoke', { id: id['token gone'] });
    expect(await outcomeOf(`Bearer ${text.gone}`)).toBe('Unauthorized');
    world.clock.advance(DAY);
    expect(await outcomeOf(`Bearer ${text.short}`)).toBe('Unauthorized');
    expect(codes()).toEqual(['token_refused', 'token_refused']);
    expect(await outcomeOf(`Bearer ${text.robot}`)).toBe('allow');
  });

  test('of an inactive subject is a deny: the subject is known', async () => {
    await world.run('technical-user.update', { id: 'robot', status: 'inactive' });
    world.settle();
    expect(await outcomeOf(`Bearer ${text.robot}`)).toBe('subject_inactive');
    await world.run('technical-user.delete', { id: 'robot' });
    expect(await outcomeOf(`Bearer ${text.robot}`)).toBe('Unauthorized');
  });
});

describe('a JWT that can be revoked', () => {
  const SESSION = { REVOCATION: 'session:sid' };
  const jwt = async (claims: Record<string, unknown>) =>
    `Bearer ${await issuer.token({ sub: 'ann', aud: 'api', exp: world.clock.now() / 1_000 + 600, ...claims })}`;
  const newSession = async (more: Record<string, unknown> = {}) => {
    const made = await world.run('session.create', { user: 'ann', ...more });
    world.settle();
    return made.id;
  };

  test('by its login session: allowed while that is active, refused afterwards', async () => {
    const sid = await newSession();
    const token = await jwt({ sid });
    expect(await outcomeIn(SESSION, token)).toBe('allow');
    await world.run('session.update', { id: sid, status: 'revoked' });
    expect(await outcomeIn(SESSION, token)).toBe('Unauthorized');
    expect(codes()).toEqual(['token_refused']);
    expect(await outcomeIn({}, token)).toBe('allow');
  });

  test.each([
    ['of nobody', async () => ({ sid: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' }), 'token_refused'],
    ['that it does not name', async () => ({}), 'claim_refused'],
    ['that is no id', async () => ({ sid: 'x#META' }), 'claim_refused'],
    ['of somebody else', async () => ({ sid: await newSession(), sub: 'other' }), 'token_refused'],
    [
      'that is over',
      async () => ({ sid: await newSession({ sessionEnd: new Date(world.clock.now() + 1).toISOString() }) }),
      'token_refused',
    ],
    ['that expired', async () => ({ sid: await newSession({ status: 'expired' }) }), 'token_refused'],
  ])('a session %s', async (_what, claims, code) => {
    expect(await outcomeIn(SESSION, await jwt(await claims()))).toBe('Unauthorized');
    expect(codes()).toEqual([code]);
  });

  test('by its own id, if tokens are recorded; an unknown route does not reveal it', async () => {
    const TOKEN = { REVOCATION: 'token:jti' };
    const { id: jti } = await world.run('token.create', { user: 'ann', tokenType: 'JWT' });
    world.settle();
    const token = await jwt({ jti });
    expect(await outcomeIn(TOKEN, token)).toBe('allow');
    expect(await outcomeIn(TOKEN, token, '/nowhere')).toBe('route_unmapped');
    await world.run('token.revoke', { id: jti });
    expect(await outcomeIn(TOKEN, token)).toBe('Unauthorized');
    expect(await outcomeIn(TOKEN, token, '/nowhere')).toBe('Unauthorized');
  });

  test('an API token is not accepted as the record of a JWT', async () => {
    const TOKEN = { REVOCATION: 'token:jti' };
    const stolen = await jwt({ jti: id['token ann'] });
    expect(await outcomeIn(TOKEN, stolen)).toBe('Unauthorized');
  });
});
