import { INDEXES } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import { isName } from '../identifiers.ts';
import { guardKey, nodeKey } from '../keys.ts';
import { normaliseName } from '../normalise.ts';
import { namedFrom } from './lists.ts';
import { type PageInput, pattern } from './pattern.ts';
import { itemAt, mergedPageOf, nodeByGuard } from './reads.ts';

/** Static policies of Verified Permissions (seed 004). */
function policyName(text: string, field: string): string {
  if (!isName(text)) throw invalid(field, `${field} is not made of letters, digits, dot, dash, underscore`);
  return text;
}

export const policiesByPrefix = pattern(
  {
    name: 'policies-by-prefix',
    title: 'the policies whose names begin in a certain way, or all, by name',
    reads: [{ operation: 'Query', index: INDEXES.tenant }],
    rows: ['AZ-09'],
  },
  (reader, { prefix = '', ...page }: PageInput & { readonly prefix?: string | undefined }) => {
    // What begins a name is itself made like one.
    const start = prefix === '' ? '' : normaliseName(policyName(prefix, 'prefix'), 'prefix');
    return mergedPageOf(reader, namedFrom('policy', start), page);
  },
);

export const policyByName = pattern(
  {
    name: 'policy-by-name',
    title: 'a policy by its name',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['AZ-10'],
  },
  (reader, { name }: { readonly name: string }) =>
    nodeByGuard(reader, guardKey('POLICY_NAME', normaliseName(policyName(name, 'name'), 'name')), 'policy'),
);

export const policyById = pattern(
  {
    name: 'policy-by-id',
    title: 'a policy by the id that Verified Permissions gave it',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-11'],
  },
  (reader, input: { readonly policy: string }) =>
    itemAt(reader, nodeKey({ type: 'policy', id: policyName(input.policy, 'policy') })),
);
