import { expect, test } from 'vitest';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { createLightWorld } from '../support/world.ts';
import { createFixture, record, send, serve, user } from './support.ts';

/** About as many as there are different ones. */
const REQUESTS = 500;
/** Ids that name nothing. */
const NOTHING = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';

test('a caller of one tenant cannot tell the other tenant from one that does not exist', async () => {
  const fixture = await createFixture(createLightWorld);
  const handle = serve(fixture, { CACHE_TTL_SECONDS: '3600' });
  const { pick } = createRandom(SEED);
  for (let count = 0; count < REQUESTS; count++) {
    const { path, own, foreign } = requests(pick);
    const token = fixture.token.a;
    const answer = await send(handle, path, { token, body: foreign });
    const expected = await send(handle, path, { token, body: own });
    expect(expected.status).toBe(200);
    expect({ ...answer, body: answer.body }, `${again()} ${path} ${JSON.stringify(foreign)}`).toEqual(
      expected,
    );
  }
});

type Pick = <T>(from: readonly T[]) => T;

/** A request about tenant B, and the same about what does not exist. */
function requests(pick: Pick) {
  const kind = pick(['evaluation', 'evaluations', 'search/subject', 'search/resource', 'search/action']);
  const isResourceForeign = kind !== 'search/resource' && pick([true, false]);
  const action = { name: pick(['read', 'write', 'delete', 'fly']) };
  const foreignResource = pick([record('record-b'), { type: 'tenant', id: 'tenant-b' }]);
  const ownResource = record(pick(['record-1', 'record-2', 'record-3']));
  const ownSubject = user(pick(['alice', 'bob']));
  const foreignSubject = pick([user('zoe'), { type: 'technical-user', id: 'b' }]);
  const asking = pick([ownSubject, foreignSubject]);
  const more = pick([{}, { context: { ip: '10.0.0.1' } }, { options: { explain: true } }]);
  const body = (isForeign: boolean) => {
    const unless = (entity: { type: string; id: string }) =>
      isForeign ? entity : { ...entity, id: NOTHING };
    const resource = isResourceForeign ? unless(foreignResource) : ownResource;
    const subject = isResourceForeign ? asking : unless(foreignSubject);
    if (kind === 'evaluation') return { subject, action, resource, ...more };
    if (kind === 'evaluations')
      return { subject, action, evaluations: [{ resource }, { resource }], ...more };
    if (kind === 'search/subject')
      return { subject: { type: 'user' }, action, resource: unless(foreignResource) };
    if (kind === 'search/resource') return { subject, action, resource: { type: 'record' } };
    return { subject, resource };
  };
  return { path: `/access/v1/${kind}`, foreign: body(true), own: body(false) };
}
