import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exampleText } from '../../docs-examples/coming-from.ts';
import { openModelTest } from '../../support/model-test.ts';
import { gatehouse } from '../support.ts';

/** What is imported from files of others. What is typed wrongly: transcripts/import.txt. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};

let files = 0;
async function run(...args: readonly string[]) {
  const [out, tests] = [at(`${++files}.yaml`), at(`${files}.test.yaml`)];
  const { code, out: text, error } = await gatehouse(['import', ...args, '--out', out, '--tests', tests]);
  return { code, text, errors: error, out, tests };
}

/** The written tests, run against the written manifest. */
async function passes({ out, tests }: { readonly out: string; readonly tests: string }) {
  const written = { ...parse(readFileSync(tests, 'utf8')), manifest: parse(readFileSync(out, 'utf8')) };
  const { run: runTests } = await openModelTest('import', JSON.stringify(written));
  return (await runTests()).every(({ passed }) => passed);
}

const CASBIN = ['casbin.conf', 'casbin.csv'].map((name) => write(name, exampleText(name)));
const OPENFGA = ['openfga.fga', 'openfga.tuples.yaml'].map((name) => write(name, exampleText(name)));

const group = (GroupName: string, more = {}) => ({ GroupName, UserPoolId: 'pool', ...more });
const user = (Username: string, sub: string, more = {}) => ({
  Username,
  Enabled: true,
  Attributes: [
    { Name: 'sub', Value: sub },
    { Name: 'email', Value: `${Username}@example.com` },
    { Name: 'email_verified', Value: 'true' },
  ],
  ...more,
});
const COGNITO = [
  write('groups.json', JSON.stringify({ Groups: [group('admins', { Precedence: 1 }), group('clerks')] })),
  write(
    'admins.json',
    JSON.stringify({ Users: [user('ann', 'a-1'), user('ben', 'b-2', { Enabled: false })] }),
  ),
  write('clerks.json', JSON.stringify({ Users: [user('ann', 'a-1'), user('cem', 'c-3')] })),
];

describe('the models of "coming from"', () => {
  test('casbin: all of it, and its answers as tests', async () => {
    const done = await run('casbin', ...CASBIN);
    expect(done).toMatchObject({
      code: 0,
      text: '0 left out; 12 questions asked of both, 0 refused here, 0 allowed here alone\n',
    });
    expect(await passes(done)).toBe(true);
  });

  test('cognito: groups, members, and who is disabled', async () => {
    const done = await run('cognito', ...COGNITO, '--tenant', 'shop', '--module', 'groups');
    expect(done.code).toBe(1);
    expect(done.text).toBe(
      'left out: group admins: its precedence: roles add up\n1 left out; 6 questions asked of both, 0 refused here, 0 allowed here alone\n',
    );
    expect(parse(readFileSync(done.out, 'utf8'))).toMatchObject({
      users: {
        'a-1': { email: 'ann@example.com', groups: ['admins', 'clerks'] },
        'b-2': { status: 'disabled' },
      },
    });
    expect(await passes(done)).toBe(true);
  });

  test('openfga: in its own language; without a server nobody answers', async () => {
    const done = await run('openfga', ...OPENFGA);
    expect(done).toMatchObject({ code: 0, text: '0 left out; the other product was not asked\n' });
    expect(done.errors).toContain('was not written: nobody answered');
    expect(existsSync(done.tests)).toBe(false);
    // The tests of the guide, in the names of the import.
    const manifest = parse(readFileSync(done.out, 'utf8'));
    const { tests } = parse(exampleText('openfga.test.yaml'));
    const asked = tests.map(({ permission, scope, ...each }: Record<string, string>) => ({
      ...each,
      permission:
        permission === 'documents:edit:document'
          ? 'document:can_edit:document'
          : 'document:can_read:document',
      scope: `document:${scope}`,
    }));
    const { run: runTests } = await openModelTest('openfga', JSON.stringify({ manifest, tests: asked }));
    expect((await runTests()).map(({ passed }) => passed)).toEqual(asked.map(() => true));
  });
});
