import type { Derivation, Named, Relation, Source, Suggestions } from './explanation.ts';
import { periodText, STATES } from './holdings.ts';

/** A sentence about an explanation: texts, and the names in it. */
export type Sentence = readonly (string | Named)[];

export const textOf = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('');

/** The grant through which the subject has a role, within a sentence about that role. */
export function sourceSentence(source: Source): Sentence {
  switch (source.kind) {
    case 'group':
      return source.everyone
        ? ['as everyone at ', source.scope, ' (group ', source.group, ')']
        : ['through group ', source.group, ' at ', source.scope];
    case 'token_group':
      return [
        'through group ',
        source.group,
        ' at ',
        source.scope,
        ', which the token names',
        periodText(source),
      ];
    case 'assignment':
      return ['assigned at ', source.scope, periodText(source)];
    case 'grant':
      return ['through the grant in ', source.scope];
    case 'global_role':
      return ['granted globally'];
    case 'administrator':
      return ['as an administrator'];
  }
}

const RELATIONS: Readonly<Record<Relation, string>> = {
  here: 'here',
  above: 'above',
  below: 'below, and grants do not flow up',
  beside: 'elsewhere in this tenant, and grants flow down only',
  other_tenant: 'in another tenant',
};

/** The granted role, those that it inherits from, and the grant. */
const roleSentence = (roles: readonly Named[], from: Source): Sentence => [
  ...roles.flatMap((role, position) => [position === 0 ? 'role ' : ', inherits from role ', role]),
  ' ',
  ...sourceSentence(from),
];

/** How a subject comes to an effect: roles, grant, and the pattern where it is no exact one. */
export const derivationSentence = ({ roles, from, by }: Derivation): Sentence => [
  ...roleSentence(roles, from),
  ...(by?.kind === 'pattern' ? [`, by ${by.name}`] : []),
];

/** Why a role that the subject has, with what it inherits, is not in force where and when it is asked about. */
export const grantedSentence = ({
  from,
  roles,
  relation,
  period,
}: Suggestions['granted']['items'][number]): Sentence => [
  ...roleSentence(roles, from),
  `: ${RELATIONS[relation]}${period === 'holds' ? '' : `, and ${STATES[period]}`}`,
];
