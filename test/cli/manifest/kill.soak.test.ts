import { afterAll, expect, test } from 'vitest';
import { SECTIONS } from '../../../provisioning/apply/schema.ts';
import { createWorld } from '../../support/world.ts';
import { fileOf, removeFiles } from '../support.ts';
import { afterAMinute, runProcess, stateOf } from './kill.ts';
import { manifestOfAll } from './large.ts';

/** An apply that is killed without warning, and run again. Fifty of them: npm run proof -- kills. */
afterAll(removeFiles);

test('the manifest that is applied has every section', () => {
  expect(Object.keys(JSON.parse(manifestOfAll())).sort()).toEqual([...SECTIONS].sort());
});

test('killed at several moments and run again, it comes to the state of an undisturbed apply', async () => {
  const file = fileOf(manifestOfAll(), 'json');
  const [undisturbed, disturbed] = [await createWorld(), await createWorld()];
  const env = { TABLE_NAME: undisturbed.table, DYNAMODB_ENDPOINT: undisturbed.endpoint };
  const other = { ...env, TABLE_NAME: disturbed.table };
  const { code: done, lastedMs } = await runProcess(['apply', file, '--yes'], env);
  expect(done).toBe(0);
  let killed = 0;
  for (const share of [0.2, 0.3, 0.4]) {
    const { code } = await runProcess(['apply', file, '--yes'], other, lastedMs * share);
    if (code !== null) continue;
    killed += 1;
    await afterAMinute(other);
  }
  expect(killed).toBeGreaterThan(0);
  const last = await runProcess(['apply', file, '--yes'], other);
  expect(last.code, last.error).toBe(0);
  const { exported } = await stateOf(file, env);
  expect(await stateOf(file, other)).toEqual({
    planned: 'nothing to do',
    verified: 'nothing is wrong',
    exported,
  });
});
