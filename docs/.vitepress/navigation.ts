import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pageOf } from './links.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Entry {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: Entry[];
}

/** What a reader looks for, in the order of their first days. Files that do not exist are left out. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Start: ['docs/tutorial.md', 'docs/concepts.md', 'docs/explorer.md', 'docs/guard-your-service.md'],
  Guides: [
    'docs/testing.md',
    'docs/lists.md',
    'docs/guides/multi-tenant-saas.md',
    'docs/guides/buildings-and-devices.md',
    'docs/guides/school.md',
    'docs/guides/platform-with-licences.md',
    'docs/guides/record-ownership.md',
    'docs/guides/machine-tokens.md',
    'docs/guides/agents.md',
    'docs/identity-providers.md',
    'docs/guides/websocket.md',
    'docs/guides/',
    'docs/attach/README.md',
  ],
  'Coming from': [
    'docs/coming-from/casl.md',
    'docs/coming-from/casbin.md',
    'docs/coming-from/openfga.md',
    'docs/coming-from/cedar.md',
    'docs/coming-from/cognito-groups.md',
    'docs/coming-from/',
  ],
  Reference: [
    'docs/cli.md',
    'docs/commands.md',
    'docs/manifests.md',
    'docs/routes.md',
    'docs/conditions.md',
    'docs/authzen.md',
    'docs/configuration.md',
    'docs/errors.md',
    'docs/',
  ],
  Operations: [
    'docs/deployment.md',
    'docs/freshness.md',
    'docs/regions.md',
    'docs/observability.md',
    'docs/operators.md',
    'docs/auditor.md',
    'docs/runbooks/index.md',
    'docs/runbooks/',
    'docs/change-feed.md',
    'docs/live-revocation.md',
    'docs/performance.md',
    'docs/performance/',
  ],
  About: ['docs/beside-others.md', 'CHANGELOG.md', 'SECURITY.md'],
  'Decision records': ['ADR/README.md', 'ADR/'],
  Contributing: ['CONTRIBUTING.md', 'docs/internals/'],
};

/** Titles that are shorter than the first line of their document. */
const TITLES: Readonly<Record<string, string>> = {
  'docs/beside-others.md': 'Comparison',
  'docs/guard-your-service.md': 'Guard and ask',
  'docs/attach/README.md': 'Attach to an API',
  'docs/observability.md': 'Logs, metrics, alarms',
  'docs/freshness.md': 'Freshness',
  'docs/internals/engines.md': 'DynamoDB engines',
  'ADR/README.md': 'All records',
};

/** Titles that fit into the bar at the top. */
const SHORT: Readonly<Record<string, string>> = {
  'docs/tutorial.md': 'Tutorial',
  'docs/cli.md': 'Command line',
};

const titleOf = (document: string): string =>
  TITLES[document] ??
  /^# (.*)$/m.exec(readFileSync(`${ROOT}/${document}`, 'utf8'))?.[1]?.replaceAll('`', '') ??
  document;

const linkOf = (document: string): string => `/${pageOf(document)}`.replace(/(?:index)?\.md$/, '');

const exists = (document: string): boolean => existsSync(`${ROOT}/${document}`);

/** The documents of a folder itself, not of those in it. */
const inFolder = (folder: string): readonly string[] =>
  exists(folder)
    ? readdirSync(`${ROOT}/${folder}`)
        .filter((name) => name.endsWith('.md'))
        .map((name) => folder + name)
        .sort()
    : [];

/** The bar at the top: where readers go first. */
export const bar = (): readonly Entry[] =>
  ['docs/tutorial.md', 'docs/concepts.md', 'docs/cli.md', 'docs/deployment.md']
    .filter(exists)
    .map((document) => ({ text: SHORT[document] ?? titleOf(document), link: linkOf(document) }));

/** All sections with their documents. A folder stands for those in it that no section names. */
export function sections(): Section[] {
  const named = new Set(Object.values(SECTIONS).flat());
  named.add('docs/index.md');
  return Object.entries(SECTIONS)
    .map(([text, documents]) => ({
      text,
      collapsed: ['Decision records', 'Contributing'].includes(text),
      items: documents
        .flatMap((each) =>
          each.endsWith('/') ? inFolder(each).filter((document) => !named.has(document)) : [each],
        )
        .filter(exists)
        .map((document) => ({ text: titleOf(document), link: linkOf(document) })),
    }))
    .filter(({ items }) => items.length > 0);
}
