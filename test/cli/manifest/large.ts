import { parse } from 'yaml';

/** A manifest as large as an operator's: 1,000 users, 100 groups, 30 roles, 300 scopes, unless other numbers are given. */
export function largeManifest({
  users = 1_000,
  groups = 100,
  roles = 30,
  scopes = 300,
  /** Pages, and as many permissions. */
  pages = 20,
} = {}): string {
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  const named = <T>(count: number, prefix: string, of: (number: number) => T): Record<string, T> =>
    Object.fromEntries(numbers(count).map((number) => [`${prefix}-${number}`, of(number)]));
  return JSON.stringify({
    modules: ['doors'],
    pages: numbers(pages).map((number) => `page-${number}`),
    permissions: numbers(pages).map((number) => `doors:open:door-${number}`),
    scopes: {
      acme: { type: 'tenant' },
      ...named(scopes - 1, 'place', (number) => ({
        type: 'location',
        parent: 'acme',
        code: `PLACE-${number}`,
      })),
    },
    roles: named(roles, 'role', (number) => ({
      owner: 'acme',
      allow: [`page-${number % pages}`, `page-${(number + 7) % pages}`, `doors:open:door-${number % pages}`],
      ...(number % 5 === 0 ? { deny: [`page-${(number + 3) % pages}`] } : {}),
    })),
    groups: named(groups, 'group', (number) => ({
      scope: `place-${(number * 7) % (scopes - 1)}`,
      roles: [`role-${number % roles}`],
    })),
    users: named(users, 'user', (number) => ({
      email: `user-${number}@acme.example`,
      groups: [...new Set([number % groups, (number + 1 + (number % 9)) % groups])].map(
        (each) => `group-${each}`,
      ),
      ...(number % 10 === 0 ? { grants: { acme: [`role-${number % roles}`] } } : {}),
      ...(number % 10 === 1 && scopes > 1
        ? {
            assignments: [
              {
                role: `role-${number % roles}`,
                scope: `place-${number % (scopes - 1)}`,
                until: '2026-12-31',
              },
            ],
          }
        : {}),
    })),
    settings: numbers(Math.min(20, scopes - 1)).map((number) => ({
      scope: `place-${number}`,
      key: 'theme',
      value: 'light',
    })),
    routes: [
      {
        api: 'acme',
        method: 'GET',
        path: '/places/{place}',
        permission: 'page-0',
        scope: 'location:{place}',
      },
    ],
  });
}

const OTHERS = `
scopeTypes: { campus: { root: true, children: [floor] }, floor: {} }
subjectTypes: [identity]
properties: [{ of: "subject:user", name: department, type: string, source: stored }]
resourceTypes: { invoice: { scope: "tenant:{tenant}" } }
modules: { doors: {}, library: { sold: true } }
scopes:
  hill: { type: campus }
  first: { type: floor, parent: hill }
  bank: { type: account }
  corp: { type: enterprise }
  stream: { type: workstream, parent: bank, enterprise: corp }
roles:
  guest: { global: true, allow: [page-1, { permission: page-2, when: 'subject.properties.department == "sales"' }] }
  reader: { parent: guest }
  clerk: { owner: acme, allowOnly: true, allow: [page-2] }
groups:
  all: { scope: hill, everyone: true, roles: [reader] }
  staff: { scope: acme, allowOnly: true, roles: [clerk] }
users: { root: { admin: true, globalRoles: [guest], properties: { department: sales } } }
subjects: { worker: { type: identity, assignments: [{ role: reader, scope: first }] } }
technicalUsers: { robot: { account: bank, assignments: [{ role: reader, scope: stream }] } }
subscriptions: [{ scope: acme, module: library, tier: premium }]
externalGroups: [{ scope: acme, issuer: "https://login.example", externalId: Staff, group: staff }]
invariants: [{ scope: acme, name: apart, separate: [page-1, page-4], within: scope }]
licenses: [{ account: bank, enterprise: corp, until: "2026-12-31" }]
settings: [{ user: user-1, key: size, value: 12 }]
`;

/** A small one with things in every section. */
export function manifestOfAll(
  counts: Parameters<typeof largeManifest>[0] = { users: 30, groups: 12, roles: 6, scopes: 14 },
): string {
  const all = JSON.parse(largeManifest(counts));
  for (const [section, more] of Object.entries<object>(parse(OTHERS))) {
    const one = all[section] ?? {};
    if (Array.isArray(more)) all[section] = Array.isArray(one) ? [...one, ...more] : more;
    else all[section] = Array.isArray(one) ? more : { ...one, ...more };
  }
  return JSON.stringify(all);
}
