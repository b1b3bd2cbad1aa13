import { expect, test } from 'vitest';
import { type Answers, QUESTIONS } from '../../../cli/init/answers.ts';
import { firstManifest, firstTests } from '../../../cli/init/documents.ts';
import { createEngine } from '../../../engine/index.ts';
import { readDocument } from '../../../testing/document.ts';
import { applyManifest, prepareManifest } from '../../../testing/manifest.ts';
import { provisionedInMemory } from '../../../testing/memory.ts';
import { readTestFile } from '../../../testing/model-tests/file.ts';

/** What `gatehouse init` writes holds for any answers that it takes. */
const NOW = Date.UTC(2026, 2, 1);
const USUAL: Answers = { root: 'tenant', protect: 'reports', email: 'ann@example.com' };

test.each<[Partial<Answers>, string]>([
  [{}, 'GET /tenants/{tenant}/reports'],
  [{ root: 'company' }, 'GET /companies/{company}/reports'],
  [{ root: 'client' }, 'GET /clients/{client}/reports'],
  [{ root: 'account' }, 'GET /accounts/{account}/reports'],
  [{ root: 'enterprise' }, 'GET /enterprises/{enterprise}/reports'],
  [{ root: 'location' }, 'GET /locations/{location}/reports'],
  [{ root: 'care-home' }, 'GET /care-homes/{careHome}/reports'],
  [{ root: 'yes' }, 'GET /yeses/{yes}/reports'],
  [{ protect: 'orders:read:order' }, 'GET /tenants/{tenant}/orders'],
  [{ protect: 'orders:create:entry' }, 'POST /tenants/{tenant}/entries'],
  [{ protect: 'doors:delete:box' }, 'DELETE /tenants/{tenant}/boxes'],
  [{ protect: 'profile:update:profile' }, 'PUT /tenants/{tenant}/profiles'],
  [{ protect: 'true' }, 'GET /tenants/{tenant}/true'],
  [{ protect: '2026' }, 'GET /tenants/{tenant}/2026'],
  [{ email: "o'hara+x@mail.example" }, 'GET /tenants/{tenant}/reports'],
])('%j: %s', async (changes, request) => {
  const answers = { ...USUAL, ...changes };
  for (const [field, answer] of Object.entries(answers))
    expect(QUESTIONS[field as keyof Answers].problem(answer)).toBeUndefined();
  const source = readDocument('manifest.yaml', firstManifest(answers));
  const manifest = await prepareManifest(source.data);
  expect(manifest.problems).toEqual([]);
  const { method, path } = manifest.manifest?.routes[0] ?? {};
  expect(`${method} ${path}`).toBe(request);

  const { reader, provisioning } = provisionedInMemory(() => NOW);
  expect(await applyManifest(manifest, provisioning)).toEqual([]);
  const engine = createEngine({ reader, clock: { now: () => NOW + 600_000 } });
  const { tests } = await readTestFile(readDocument('t.yaml', firstTests(answers)), async () => source);
  const questions = tests.flatMap(({ questions }) => questions);
  expect(questions).toHaveLength(2);
  for (const { subject, permission, scope, expect: expected } of questions) {
    const [who, where] = [manifest.names.of('subject').get(subject), manifest.names.of('scope').get(scope)];
    const { allowed, reason } = await engine.check(String(who), permission, String(where));
    expect(allowed ? 'allow' : reason).toBe(expected);
  }
});

test('a manifest has ten to thirty lines, and its editor a schema', () => {
  for (const root of ['tenant', 'company']) {
    const text = firstManifest({ ...USUAL, root });
    expect(text.split('\n').length).toBeGreaterThan(10);
    expect(text.split('\n').length).toBeLessThanOrEqual(32);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+\/schemas\/manifest\.schema\.json\n/);
  }
});

test.each<[keyof Answers, string, RegExp]>([
  ['root', 'user', /cannot be a type of places/],
  ['root', 'two words!', /cannot be a type of places/],
  ['root', 'building', /always below project/],
  ['protect', 'orders:read', /neither a page nor/],
  ['protect', 'a b', /neither a page nor/],
  ['email', 'ann', /is not an e-mail address/],
  ['email', 'a:b@example.com', /is not an e-mail address/],
  ['email', 'a b@c', /is not an e-mail address/],
])('an answer that leads nowhere: %s %s', (field, answer, problem) => {
  expect(QUESTIONS[field].problem(answer)).toMatch(problem);
});
