import type { Proof, RoleFinding, Violation } from '../../provisioning/index.ts';
import type { Invariant } from '../../table/invariant.ts';
import type { Paint } from '../context.ts';
import { columns, count, plain } from '../print.ts';

/** The invariants of a tenant, and what is proved of them. */
export interface TenantProof {
  /** The root, by its reference and its name. */
  readonly tenant: { readonly ref: string; readonly name: string };
  readonly invariants: readonly Invariant[];
  readonly proof: Proof;
}

export type Verdict = 'holds' | 'violated' | 'unproved';

export const verdictOf = ({ id }: Invariant, { violations, moreViolations, unproved }: Proof): Verdict => {
  if (violations.some(({ invariant }) => invariant === id)) return 'violated';
  // What is not listed may be of it.
  return unproved !== undefined || moreViolations > 0 ? 'unproved' : 'holds';
};

const LABELS = { holds: 'HOLDS   ', violated: 'VIOLATED', unproved: 'UNPROVED' } as const;

const named = ({ ref, name }: { readonly ref: string; readonly name: string }): string =>
  name === ref ? ref : `${plain(name)} (${ref})`;

const statement = ({ separate, within = 'tenant', never, except }: Invariant): string =>
  separate
    ? `nobody has two of ${separate.join(', ')} ${within === 'tenant' ? 'in the tenant' : 'at one scope'}`
    : `nobody has ${never}${except ? `, except in group:${except.group}` : ''}`;

function whoText({ subject, isAnybody, people = [], token }: Violation['who']): string {
  const shows = token
    ? `, with a token of ${plain(token.issuer)} that names ${token.groups.map(plain).join(', ')}`
    : '';
  if (isAnybody) return `anybody, such as ${named(subject)}${shows}`;
  return `${named(subject)}${people.length > 1 ? ` and ${people.length - 1} more` : ''}${shows}`;
}

const violationLines = ({ who, from, certain, holds, test }: Violation): readonly string[] => [
  `  ${whoText(who)}, from ${from}${certain ? '' : ': perhaps'}`,
  ...holds.flatMap(({ permission, scope, through, conditions, check }) => [
    `    ${permission} at ${named(scope)}: ${plain(through)}`,
    ...conditions.map((when) => `      if ${plain(when)}`),
    ...(check === 'role' || check === 'condition_failed' ? [] : [`      closed at present: ${check}`]),
  ]),
  '',
  ...test
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`),
  '',
];

/** For people: each invariant, who breaks it with a model test to paste, who is not bound by any, and what was decided. */
export function formatProofs(proofs: readonly TenantProof[], paint: Paint): string {
  if (proofs.length === 0) return 'no invariants\n';
  const lines = proofs.flatMap(({ tenant, invariants, proof }) => {
    const { violations, moreViolations, administrators, decided, unproved } = proof;
    return [
      named(tenant),
      ...invariants.flatMap((invariant) => {
        const verdict = verdictOf(invariant, proof);
        return [
          `${paint(verdict === 'holds' ? 'green' : 'red', LABELS[verdict])}  ${plain(invariant.name)}: ${statement(invariant)}`,
          ...violations.filter((each) => each.invariant === invariant.id).flatMap(violationLines),
        ];
      }),
      ...(moreViolations > 0 ? [`and ${count(moreViolations, 'more violation')}`] : []),
      ...(unproved === undefined ? [] : [`not all is known: ${unproved}`]),
      ...(administrators.length > 0
        ? [`administrators, who may do everything: ${administrators.join(', ')}`]
        : []),
      `decided: ${count(decided.cells, 'cell')} of ${decided.people} people with grants and all without, ${count(decided.permissions, 'permission')}, ${count(decided.scopes, 'scope')}; ${count(decided.decisions, 'decision')}`,
      '',
    ];
  });
  return `${lines.join('\n')}`;
}

/** For people: which roles may do more, and where it cannot be told. */
export function formatRoleFindings(findings: readonly RoleFinding[], none: string, paint: Paint): string {
  if (findings.length === 0) return `${paint('green', none)}\n`;
  const rows = findings.map(({ tenant, role, permission, verdict, why }) => [
    verdict === 'wider' ? 'NO' : 'CANNOT TELL',
    `${plain(role)}${tenant === undefined ? '' : ` in ${plain(tenant)}`}`,
    permission,
    why,
  ]);
  return `${columns(rows).join('\n')}\n`;
}
