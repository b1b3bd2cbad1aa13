import { describe, expect, test } from 'vitest';
import { createLightWorld } from '../support/world.ts';
import { allSubcommands, gatehouse } from './support.ts';

/**
 * One rule for all subcommands: what is named and does not exist is 2, whatever is named and however. 1 is the answer
 * no, or a finding.
 */
const GHOST = '01M7YAMYCAWSND2TZ7F47P6DYF';
const SUBJECT = ['nobody', 'user:ghost', `user:${GHOST}`];
const SCOPE = ['nowhere', 'location:ghost'];
const PERMISSION = ['nothing', 'no:such:thing'];

/** Where a subcommand takes a name: what stands for `?` is a name that nothing has. */
const NAMES: readonly (readonly [place: string, line: string, unknown: readonly string[]])[] = [
  ['check subject', 'check ? home Here', SUBJECT],
  ['check permission', 'check ann ? Here', PERMISSION],
  ['check scope', 'check ann home ?', SCOPE],
  ['check --actor', 'check ann home Here --actor ?', SUBJECT],
  ['check --mandate', 'check ann home Here --actor ann --mandate ?', [GHOST, 'mandate:ghost', 'no mandate']],
  ['explain subject', 'explain ? home Here', SUBJECT],
  ['explain permission', 'explain ann ? Here', PERMISSION],
  ['explain scope', 'explain ann home ?', SCOPE],
  ['explain --actor', 'explain ann home Here --actor ?', SUBJECT],
  ['explain --mandate', 'explain ann home Here --actor ann --mandate ?', [GHOST]],
  ['who permission', 'who ? Here', PERMISSION],
  ['who scope', 'who home ?', SCOPE],
  ['who --actor', 'who home Here --actor ?', SUBJECT],
  ['who --mandate', 'who home Here --actor ann --mandate ?', [GHOST]],
  ['who --type', 'who home Here --type ?', ['robot']],
  ['menu subject', 'menu ? Here', SUBJECT],
  ['menu scope', 'menu ann ?', SCOPE],
  ['menu --actor', 'menu ann Here --actor ?', SUBJECT],
  ['menu --mandate', 'menu ann Here --actor ann --mandate ?', [GHOST]],
  ['where subject', 'where ? home', SUBJECT],
  ['where permission', 'where ann ?', PERMISSION],
  ['where --actor', 'where ann home --actor ?', SUBJECT],
  ['where --mandate', 'where ann home --actor ann --mandate ?', [GHOST]],
  ['where --type', 'where ann home --type ?', ['campus']],
  ['narrow subject', 'narrow ? home', SUBJECT],
  ['narrow permission', 'narrow ann ?', PERMISSION],
  ['narrow --within', 'narrow ann home --within ?', SCOPE],
  ['doctor --subject', 'doctor --only cost --subject ? --permission home --scope Here', SUBJECT],
  ['doctor --permission', 'doctor --only cost --subject ann --permission ? --scope Here', PERMISSION],
  ['doctor --scope', 'doctor --only cost --subject ann --permission home --scope ?', SCOPE],
  ['route test --subject', 'route test GET /home --subject ?', SUBJECT],
  ['route test --actor', 'route test GET /home --subject ann --actor ?', SUBJECT],
  ['route test --mandate', 'route test GET /home --subject ann --actor ann --mandate ?', [GHOST]],
  ['route remove id', 'route remove ? --yes', [GHOST]],
  ['onboard --user', 'onboard New --user ? --admin-role reader', ['nobody', GHOST]],
  ['onboard --admin-role', 'onboard New --user ann --admin-role ?', ['nothing', GHOST]],
  ['onboard --role', 'onboard New --user ann --role boss=?', PERMISSION],
  ['onboard --template', 'onboard New --user ann --template boss=?', [GHOST]],
  ['onboard --type', 'onboard New --user ann --admin-role reader --type ?', ['campus']],
  ['revoke-user user', 'revoke-user ? --yes', SUBJECT],
  ['suspend-tenant tenant', 'suspend-tenant ? --yes', SCOPE],
  ['revoke-session id', 'revoke-session ? --yes', [GHOST]],
  ['revoke-token id', 'revoke-token ? --yes', [GHOST]],
  ['verify --tenant', 'verify --tenant ?', SCOPE],
  ['matrix scope', 'matrix ?', SCOPE],
  ['matrix --role', 'matrix Here --role ?', ['nothing']],
  ['usage --elsewhere', 'usage --log /dev/null --elsewhere ?', PERMISSION],
  ['usage --tenant', 'usage --log /dev/null --tenant ?', SCOPE],
  ['prove --tenant', 'prove --tenant ?', SCOPE],
  ['prove names', 'prove --never ? grades docs/examples/school.manifest.yaml', ['nobody']],
  ['export --root', 'export --root ?', SCOPE],
  // The log is of what is gone, too: a reference may be to that.
  ['log --tenant', 'log --tenant ?', ['nowhere']],
  ['log --user', 'log --user ?', ['nobody']],
  ['log --entity', 'log --entity ?', ['nothing']],
  ['command name', 'command ?', ['user.creat']],
  ['command fields', 'command user.read id=?', ['nobody', GHOST]],
  ['command fields', 'command page.read name=?', ['nothing']],
  ['command fields', 'command membership.create user=ann group=?', ['nobodies', GHOST]],
  ['command fields', 'command role-permission.create role=reader effect=ALLOW permission=?', PERMISSION],
  ['command fields', 'command subject.create id=x type=?', ['robot']],
  ['help subcommand', 'help ?', ['chekc']],
  ['completion shell', 'completion ?', ['tcsh']],
  ['rows check --type', 'rows check /dev/null --type ?', ['robot']],
  ['scim status connection', 'scim status ?', [GHOST]],
  ['scim preview connection', 'scim preview ? docs/examples/scim-requests.json', [GHOST]],
  ['load kind', 'load ? /dev/null', ['people']],
  ['import from', 'import ? /dev/null /dev/null --out /dev/null/none', ['opa']],
];

/** By the placeholders of their values: what names nothing in the table, and no part of Gatehouse. */
const VALUES = new Set(
  `api-id=file changes checks cursor email file files folder form function instant items json json|file manifest
  manifests method name=value field=value number number|off operation origin path places region seconds table
  log log... template text token url value address port`.split(/\s+/),
);
/** Options whose value is any text. */
const TEXTS = new Set(['--actor', '--api', '--operation', '--display-name', '--id']);
/** Names that are given, not looked up, and a choice of two. */
const OTHERS = new Set([
  ...['onboard name', 'apply --accept', 'init --root', 'init --protect', 'menu --kind', 'matrix --format'],
  ...['import --tenant', 'import --module'],
]);

const world = await createLightWorld();
await world.apply(`
pages: [home]
scopes: { Here: { id: here, type: location } }
users: { ann: { id: ann, username: ann } }
roles: { reader: { id: reader } }
routes: [{ method: GET, path: /home, permission: home, scope: Here }]
`);
const run = (line: string, ...more: readonly string[]) =>
  gatehouse([...line.split(' '), ...more], { env: { TABLE_NAME: world.table } });

describe('a name that nothing has is 2, with nothing on the standard output', () => {
  test.each(NAMES)('%s', async (_, line, unknown) => {
    for (const each of unknown) {
      const { code, out, error } = await run(line.replace('?', each));
      expect({ code, out }, `${line.replace('?', each)}: ${error}`).toEqual({ code: 2, out: '' });
    }
  });

  test('where the same line with a name that something has is not', async () => {
    for (const line of ['check ann home Here', 'explain ann home Here', 'route test GET /home --subject ann'])
      expect((await run(line)).code).toBe(1);
    for (const line of [
      'who home Here',
      'menu ann Here',
      'where ann home --type building',
      'export --root Here',
    ])
      expect((await run(line)).code).toBe(0);
  });
});

test('every argument and option of every subcommand is a name of this table, or names nothing', async () => {
  const places = new Set(NAMES.map(([place]) => place));
  const left: string[] = [];
  for (const subcommand of await allSubcommands()) {
    const { out: text } = await gatehouse([...subcommand.split(' '), '--help']);
    const [usage = ''] = text.split('\n');
    const given = [...usage.matchAll(/[<[](?!options)([\w-]+)(?:\.{3})?[>\]]/g)].map(([, name]) => [
      name,
      name,
    ]);
    const options = [...text.matchAll(/^ {2}(--[\w-]+) <([^>]+)>/gm)].map(([, flag, value]) => [flag, value]);
    for (const [place = '', value = ''] of [...given, ...options]) {
      const name = `${subcommand} ${place}`;
      if (places.delete(name) || VALUES.has(value) || TEXTS.has(place) || OTHERS.has(name)) continue;
      left.push(`${name} <${value}>`);
    }
  }
  expect({ left, gone: [...places] }).toEqual({ left: [], gone: [] });
});
