import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * SPEC section 7: one word for one thing, and the field's own where there is one. The words on the left were renamed
 * away; no identifier and no file name may hold one again. On the right: what to say instead.
 */
const RENAMED_AWAY: Readonly<Record<string, string>> = {
  'footing standing standings': 'effective roles',
  'ruling rulings': 'permission effects',
  'sight sights ground grounds need needs held basis': 'decision input, item, entry, requirement',
  'view views': 'item, record',
  'believe believed': 'trusted',
  'bearer bearers': 'credential',
  'admit admits admitted': 'check, check with roles',
  'reach reaches tie ties': 'resource search, relation, edge',
  'flight flights': 'in flight (as one name: inFlight)',
  'bridge bridges': 'stale if error',
  'near nearest': 'suggestions',
  'way ways': 'derivation, route',
  'window windows': 'validity',
  'ready readiness': 'the state by its name',
  'fact facts thing things': 'desired state, resource, entity',
  'survey surveys surveying': 'current state',
  'tell tells telling told': 'report, observe, format',
  'shelf shelves stretch stretches': 'owner, range',
};
/** Names of platforms and RFCs, and this list's own. */
const EXEMPT: ReadonlySet<string> = new Set(['inFlight', 'bearer', 'Bearer', 'BEARER', 'StreamViewType']);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = [
  ...['table', 'engine', 'authorizer', 'authzen', 'provisioning', 'scim', 'testing', 'middleware'],
  ...['cli', 'local', 'deploy', 'bench', 'test', 'docs'],
];
const BANNED = new Map(
  Object.entries(RENAMED_AWAY).flatMap(([words, instead]) => words.split(' ').map((word) => [word, instead])),
);

/** The words of a name: `itemsOfUser`, `ITEMS_OF_USER` and `items-of-user.ts` hold `items`, `of` and `user`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());

const findingsIn = (names: Iterable<string>): readonly string[] =>
  [...new Set(names)]
    .filter((name) => !EXEMPT.has(name))
    .flatMap((name) =>
      wordsOf(name).flatMap((word) =>
        BANNED.has(word) ? [`${name}: say ${BANNED.get(word)}, not ${word}`] : [],
      ),
    );

/** Comments, the texts of strings and of templates, and regular expressions are no identifiers. */
const NO_IDENTIFIERS =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=[=(,:?]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
const withoutTexts = (source: string): string =>
  source
    .replace(NO_IDENTIFIERS, ' ')
    .replace(/`[^`]*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code = '']) => `(${code})`).join(' '),
    );
const identifiersIn = (source: string): readonly string[] =>
  withoutTexts(source).match(/[A-Za-z_$][\w$]*/g) ?? [];

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
).filter((path) => /\.[a-z]+$/.test(path));

test('identifiers are found, and what is no identifier is not', () => {
  const source = ['const heldItems = `$', '{tellMe} held`; // near\ncall("ways", /ground/, inFlight);'].join(
    '',
  );
  expect(findingsIn(identifiersIn(source)).map((finding) => finding.split(':')[0])).toEqual([
    ...['heldItems', 'tellMe'],
  ]);
});

test('no file is named with a word that was renamed away', () => {
  expect(FILES.length).toBeGreaterThan(300);
  expect(findingsIn(FILES)).toEqual([]);
});

test('no identifier holds a word that was renamed away', () => {
  const findings = FILES.filter((path) => path.endsWith('.ts')).flatMap((path) =>
    findingsIn(identifiersIn(readFileSync(join(ROOT, path), 'utf8'))).map((finding) => `${path}: ${finding}`),
  );
  expect(findings).toEqual([]);
});

const SHIPPED = [
  ...['table', 'engine', 'authorizer', 'authzen', 'provisioning', 'scim', 'middleware', 'cli', 'local'],
];

test('what is shipped refers to no document that its readers do not have', () => {
  const findings = FILES.filter((path) => SHIPPED.includes(path.split('/', 1)[0] ?? '')).filter((path) =>
    /\bSPEC\b|\b[Ss]eeds?\b/.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  expect(findings).toEqual([]);
});
