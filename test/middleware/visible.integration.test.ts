import express from 'express';
import { expect, test } from 'vitest';
import { createVisibleRows, defineRows, text } from '../../engine/rows/index.ts';
import { authorizationOf, expressGuard, type RowsOfCaller } from '../../middleware/index.ts';
import { rowsInMemory } from '../../testing/rows-in-memory.ts';
import { listen } from '../support/listening.ts';
import { createSchool } from './support.ts';

/** Lists of rows behind a guard: for the caller of the request, whatever the handler says. */
const RECORDS = defineRows({
  type: 'record',
  id: 'id',
  scope: { column: 'at', type: 'location' },
  properties: { owner: text('owner') },
  key: ['id'],
});
const ALL = ['ann', 'ben', 'ann'].map((owner, id) => ({ id, owner, at: id === 2 ? 'gone' : 'north' }));

const school = await createSchool();

/** A route whose handler answers ids of rows, or the field of a fault. */
async function serve(
  permission: string,
  { isGiven = true, before = async () => {}, ...more }: Partial<RowsOfCaller<never>> & Others = {},
) {
  const { reader, clock, who } = school;
  const engine = school.newEngine();
  const cursorSecret = 'cursors of tests are encrypted with this';
  const visibleRows = isGiven ? createVisibleRows({ reader, engine, clock, cursorSecret }) : undefined;
  const guard = expressGuard({ engine, who, now: clock.now, visibleRows });
  const given = () => ({ resource: { type: 'record', id: 'x', properties: { owner: 'nobody' } } });
  const app = express();
  app.get('/records', guard('grades', 'location:north', { given }), async (request, response) => {
    await before();
    const fetch = rowsInMemory(RECORDS, () => ALL);
    const page = await authorizationOf(request)
      .visible(RECORDS, { permission, fetch, ...more })
      .catch((fault: { field: string }) => fault);
    response.json('rows' in page ? page.rows.map(({ id }) => id) : page.field);
  });
  const url = `${await listen(app)}/records`;
  return async (token: string, agent = 'test/1.0') => {
    const headers = { authorization: `Bearer ${token}`, 'user-agent': agent, connection: 'close' };
    return (await fetch(url, { headers })).json();
  };
}

interface Others {
  readonly isGiven?: boolean;
  readonly before?: () => Promise<unknown>;
  readonly subject?: string;
  readonly given?: object;
}

test('has the rows that the caller may see, each row as the resource', async () => {
  const get = await serve('records');
  expect(await get(await school.tokenOf('ann'))).toEqual([0]);
});

test('decides with the context of the request, which a handler cannot replace, nor the caller', async () => {
  const get = await serve('office', { given: { context: { userAgent: 'test/1.0' } }, subject: 'user:ben' });
  const ann = await school.tokenOf('ann');
  expect(await get(ann)).toEqual([0, 1]);
  expect(await get(ann, 'other')).toEqual([]);
});

test('shows nothing to an API token that was revoked since the guard let it through', async () => {
  const { id, token } = await school.run('token.create', { user: 'ann', tokenType: 'api' });
  school.settle();
  let isRevoked = false;
  const get = await serve('grades', {
    consistency: 'strong',
    before: async () => isRevoked && school.run('token.revoke', { id }),
  });
  expect(await get(String(token))).toEqual([0, 1]);
  isRevoked = true;
  expect(await get(String(token))).toEqual([]);
});

test('is a clear fault where the guard has no lists of rows', async () => {
  const get = await serve('records', { isGiven: false });
  expect(await get(await school.tokenOf('ann'))).toBe('visibleRows');
});
