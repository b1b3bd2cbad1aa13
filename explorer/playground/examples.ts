import acme from '../../docs/examples/acme.manifest.yaml';
import casbin from '../../docs/examples/coming-from/casbin.test.yaml';
import casl from '../../docs/examples/coming-from/casl.test.yaml';
import cedar from '../../docs/examples/coming-from/cedar.test.yaml';
import cognitoClaims from '../../docs/examples/coming-from/cognito-groups.claims.test.yaml';
import cognitoGroups from '../../docs/examples/coming-from/cognito-groups.test.yaml';
import openfga from '../../docs/examples/coming-from/openfga.test.yaml';
import firstManifest from '../../docs/examples/first.manifest.yaml';
import firstTests from '../../docs/examples/first.test.yaml';
import agents from '../../docs/examples/guides/agents.test.yaml';
import buildings from '../../docs/examples/guides/buildings-and-devices.test.yaml';
import machineTokens from '../../docs/examples/guides/machine-tokens.test.yaml';
import saas from '../../docs/examples/guides/multi-tenant-saas.test.yaml';
import platform from '../../docs/examples/guides/platform-with-licences.test.yaml';
import owners from '../../docs/examples/guides/record-ownership.test.yaml';
import schoolGuide from '../../docs/examples/guides/school.test.yaml';
import websocket from '../../docs/examples/guides/websocket.test.yaml';
import breakGlassRecipe from '../../docs/examples/recipes/break-glass.test.yaml';
import fourEyesRecipe from '../../docs/examples/recipes/four-eyes.test.yaml';
import officeRecipe from '../../docs/examples/recipes/office.test.yaml';
import officeHoursRecipe from '../../docs/examples/recipes/office-hours.test.yaml';
import publicPagesRecipe from '../../docs/examples/recipes/public-pages.test.yaml';
import sameDepartmentRecipe from '../../docs/examples/recipes/same-department.test.yaml';
import stepUpRecipe from '../../docs/examples/recipes/step-up.test.yaml';
import sampleTenants from '../../docs/examples/sample.manifest.yaml';
import sampleTests from '../../docs/examples/sample.test.yaml';
import schoolTests from '../../docs/examples/school.manifest.test.yaml';
import school from '../../docs/examples/school.manifest.yaml';
import schoolRules from '../../docs/examples/school.test.yaml';
import shop from '../../docs/examples/shop.manifest.yaml';
import shopTests from '../../docs/examples/shop.test.yaml';
import type { Texts } from './model.ts';

/** A model of the documents. */
export interface Example extends Texts {
  /** For the address; it stays the same. */
  readonly name: string;
  readonly title: string;
  readonly group: 'Samples' | 'Guides' | 'Recipes for conditions' | 'Coming from';
}

/** For editors, which find the schema by it; a page knows it. */
const SCHEMA_LINE = /^# yaml-language-server:.*\n/;

/**
 * The manifest within model tests, and the tests without it, as two texts with their comments.
 *
 * @param text model tests as the documents print them: `manifest:` is a block by itself
 */
export function splitModelTest(text: string): Texts {
  const lines = text.replace(SCHEMA_LINE, '').split('\n');
  const start = lines.findIndex((line) => /^manifest:\s*(?:#.*)?$/.test(line));
  if (start < 0) return { manifest: '', tests: lines.join('\n') };
  const next = lines.findIndex((line, position) => position > start && /^[^\s#]/.test(line));
  let end = next < 0 ? lines.length : next;
  // Blank lines and comments before a key belong to that key.
  while (/^(?:#|\s*$)/.test(lines[end - 1] ?? 'x')) end -= 1;
  const block = lines.slice(start + 1, end);
  const indents = block.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = Math.min(...indents.filter((each) => each > 0));
  const manifest = block.map((line) => (/^\s/.test(line) ? line.slice(indent) : line));
  const head = lines.slice(0, start);
  while (head.at(-1)?.trim() === '') head.pop();
  const rest = [...head, ...lines.slice(end)];
  return { manifest: `${manifest.join('\n')}\n`, tests: rest.join('\n').replace(/^\n+/, '') };
}

const split = (group: Example['group'], name: string, title: string, text: string): Example => ({
  group,
  name,
  title,
  ...splitModelTest(text),
});

const sample = (name: string, title: string, manifest: string, tests = ''): Example => ({
  group: 'Samples',
  name,
  title,
  manifest: manifest.replace(SCHEMA_LINE, ''),
  tests: tests.replace(SCHEMA_LINE, ''),
});

/** Models to begin with; the first is the one that is shown. */
export const EXAMPLES: readonly Example[] = [
  sample('school', 'A school', school, schoolTests),
  sample('first', 'The model of the README', firstManifest, firstTests),
  sample('sample-tenants', 'The sample tenants', sampleTenants, sampleTests),
  split('Samples', 'school-rules', 'A school: the rules one by one', schoolRules),
  sample('shop', 'A shop', shop, shopTests),
  sample('acme', 'A tenant with one setting', acme),
  split('Guides', 'multi-tenant-saas', 'Multi-tenant SaaS', saas),
  split('Guides', 'school-guide', 'School', schoolGuide),
  split('Guides', 'agents', 'Agents', agents),
  split('Guides', 'buildings-and-devices', 'Buildings and devices', buildings),
  split('Guides', 'platform-with-licences', 'Platform with licences', platform),
  split('Guides', 'record-ownership', 'Record ownership', owners),
  split('Guides', 'machine-tokens', 'Machine tokens', machineTokens),
  split('Guides', 'websocket', 'WebSocket', websocket),
  split('Recipes for conditions', 'recipe-the-same-department', 'The same department', sameDepartmentRecipe),
  split('Recipes for conditions', 'recipe-four-eyes', 'Four eyes', fourEyesRecipe),
  split('Recipes for conditions', 'recipe-office-hours', 'Office hours', officeHoursRecipe),
  split('Recipes for conditions', 'recipe-only-from-the-office', 'Only from the office', officeRecipe),
  split('Recipes for conditions', 'recipe-step-up', 'Step-up', stepUpRecipe),
  split(
    'Recipes for conditions',
    'recipe-break-glass-with-a-reason',
    'Break-glass with a reason',
    breakGlassRecipe,
  ),
  split('Recipes for conditions', 'recipe-public-pages', 'Public pages', publicPagesRecipe),
  split('Coming from', 'from-casl', 'CASL', casl),
  split('Coming from', 'from-casbin', 'Casbin', casbin),
  split('Coming from', 'from-openfga', 'OpenFGA', openfga),
  split('Coming from', 'from-cedar', 'Cedar', cedar),
  split('Coming from', 'from-cognito-groups', 'Cognito groups', cognitoGroups),
  split('Coming from', 'from-cognito-claims', 'Cognito groups, by the claims of the token', cognitoClaims),
];
