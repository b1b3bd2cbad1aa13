import { afterAll, expect, test } from 'vitest';
import { findingsOn } from '../../provisioning/findings.ts';
import { createWorld } from '../../support/world.ts';
import { fileOf, removeFiles } from '../support.ts';
import { runProcess } from './kill.ts';
import { largeManifest } from './large.ts';
import { exportOn } from './support.ts';

/** An apply that is killed without warning, and run again. Fifty of them: kill.ts. */
afterAll(removeFiles);

test('killed at several moments and run again, it comes to the state of an undisturbed apply', async () => {
  const file = fileOf(largeManifest({ users: 30, groups: 12, roles: 6, scopes: 14 }), 'json');
  const [undisturbed, disturbed] = [await createWorld(), await createWorld()];
  const env = { TABLE_NAME: undisturbed.table, DYNAMODB_ENDPOINT: undisturbed.endpoint };
  const { code: done, lastedMs } = await runProcess(['apply', file, '--yes'], env);
  expect(done).toBe(0);
  let killed = 0;
  for (const share of [0.2, 0.3, 0.4]) {
    const { code } = await runProcess(
      ['apply', file, '--yes'],
      { ...env, TABLE_NAME: disturbed.table },
      lastedMs * share,
    );
    if (code === null) killed += 1;
  }
  expect(killed).toBeGreaterThan(0);
  expect((await runProcess(['apply', file, '--yes'], { ...env, TABLE_NAME: disturbed.table })).code).toBe(0);
  expect(await exportOn(disturbed, ['acme'])).toEqual(await exportOn(undisturbed, ['acme']));
  const planned = await runProcess(['plan', file], { ...env, TABLE_NAME: disturbed.table });
  expect(planned.code).toBe(0);
  expect(await findingsOn(disturbed)).toEqual([]);
}, 120_000);
