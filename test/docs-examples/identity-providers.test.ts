import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createHandleFrom as createScim } from '../../scim/compose.ts';
import { serveFor } from '../authorizer/served.ts';
import { createIssuer, httpEvent } from '../authorizer/support.ts';
import { blocksOf } from '../documents/documents.ts';
import { client, patchOf } from '../scim/support.ts';
import { createWorld } from '../support/world.ts';

/** docs/identity-providers.md: its configuration and manifest, with tokens as each provider makes them. */
const blocks = blocksOf('docs/identity-providers.md');
const textIn = (language: string): string => blocks.find((block) => block.language === language)?.text ?? '';
const TOKEN_ISSUERS = textIn('json');
const [entra, okta, cognito] = JSON.parse(TOKEN_ISSUERS) as readonly Record<string, unknown>[];

const issuer = await createIssuer();
const world = await createWorld(`${textIn('yaml')}
  ben: { issuer: "${okta?.issuer}", sub: ben@contoso.example }
  cleo: { issuer: "${cognito?.issuer}", sub: 5f7c8ec7-c33c-4c00-abba-fe8200000001 }
routes: [{ method: GET, path: /reports, permission: reports, scope: "tenant:contoso" }]
`);

/** What they put into access tokens, from their own pages. */
const CLAIMS = {
  // https://learn.microsoft.com/en-us/security/zero-trust/develop/configure-tokens-group-claims-app-roles
  entra: {
    iss: entra?.issuer,
    aud: entra?.audience,
    sub: '3OBtLXUC2ZrN_ADLNjW9X4o0lcd61py7lgHw3Skh77s',
    oid: 'cb7eda1b-d09a-40ae-b8bb-37836ebc6abd',
    groups: ['0760b6cf-170e-4a14-91b3-4b78e0739963', '3b2b0c93-acd8-4208-8eba-7a48db1cd4c0'],
  },
  // https://developer.okta.com/docs/guides/customize-tokens-groups-claim/main/
  okta: {
    iss: okta?.issuer,
    aud: okta?.audience,
    sub: 'ben@contoso.example',
    uid: '00uixa271s6x7qt8I0h7',
    groups: ['Everyone', 'Report readers'],
  },
  // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
  cognito: {
    iss: cognito?.issuer,
    aud: undefined,
    client_id: 'app',
    token_use: 'access',
    sub: '5f7c8ec7-c33c-4c00-abba-fe8200000001',
    'cognito:groups': ['readers'],
  },
} as const;

async function reasonFor(claims: Readonly<Record<string, unknown>>): Promise<unknown> {
  const handler = serveFor(issuer, world, {
    TOKEN_ISSUER: undefined,
    TOKEN_AUDIENCE: undefined,
    TOKEN_ISSUERS,
  });
  const now = Math.floor(world.clock.now() / 1_000);
  const token = await issuer.token({ iat: now, exp: now + 600, ...claims });
  const answer = await handler(httpEvent('GET', '/reports', { authorization: `Bearer ${token}` }));
  return answer.context?.reason;
}

test.each(Object.entries(CLAIMS))('%s: the group of the token counts, and no other', async (_, claims) => {
  const claim = 'cognito:groups' in claims ? 'cognito:groups' : 'groups';
  expect(await reasonFor(claims)).toBe('role');
  expect(await reasonFor({ ...claims, [claim]: ['Everyone'] })).toBe('no_grant');
  expect(await reasonFor({ ...claims, [claim]: undefined })).toBe('no_grant');
});

test('scim: the commands make a connection that is served, and access ends when it says so', async () => {
  const lines =
    blocks
      .find(({ language }) => language === '')
      ?.text.trim()
      .split('\n') ?? [];
  let credential = '';
  for (const line of lines) {
    const [, command = '', ...fields] = line.split(/(?<!^npx) /).slice(1);
    const input = Object.fromEntries(fields.map((field) => field.split(/=(.*)/s).slice(0, 2)));
    credential = String((await world.run(command, input)).token ?? '');
  }
  const handle = createScim({ TABLE_NAME: world.table }, { ...world, log: () => undefined });
  const send = client(handle, credential);
  const requests = JSON.parse(
    readFileSync(new URL('../../docs/examples/scim-requests.json', import.meta.url), 'utf8'),
  ) as readonly { readonly path: string; readonly body: object }[];
  const [user, group] = requests;
  const { status, json } = await send('POST', String(user?.path), user?.body);
  expect(status).toBe(201);
  const body = JSON.stringify(group?.body).replace('bulkId:ann', json.id);
  expect((await send('POST', String(group?.path), body)).json).toMatchObject({ displayName: 'Readers' });
  // The group of the manifest, which has this id at the connection's issuer.
  const reason = async () => {
    world.settle();
    return (await world.newEngine().check(`user:${json.id}`, 'reports', 'tenant:contoso')).reason;
  };
  expect(await reason()).toBe('role');
  // What the provider ends, it begins again.
  for (const [value, expected] of [
    ['False', 'subject_inactive'],
    ['True', 'role'],
  ]) {
    await send('PATCH', `/Users/${json.id}`, patchOf({ op: 'Replace', path: 'active', value }));
    expect(await reason()).toBe(expected);
  }
});

test('entra: more than 200 groups are none, and nobody is known by a sub of its own', async () => {
  const { groups: _, ...claims } = CLAIMS.entra;
  const overage = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } };
  expect(await reasonFor({ ...claims, ...overage })).toBe('no_grant');
  expect(await reasonFor({ ...CLAIMS.entra, oid: CLAIMS.entra.sub })).toBe('subject_unknown');
});
