import type { Finding, Missing, Named, Period, Relation, Source } from './explanation.ts';

/** Escapes everything but printable ASCII as `\u{…}`. */
export const safe = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

export const named = ({ ref, name }: Named): string =>
  name === ref ? safe(ref) : `${safe(name)} (${safe(ref)})`;
/** The name alone, where the reference is shown elsewhere or adds nothing. */
export const short = ({ name }: Named): string => safe(name);
/** A line for the granted role, then one for each role it inherits from. */
export const linksOf = (roles: readonly Named[], show: (role: Named) => string): readonly string[] =>
  roles.map((role, position) => `${position === 0 ? 'role' : 'inherits from role'} ${show(role)}`);

function periodText({ start, end }: Period): string {
  if (start !== undefined && end !== undefined) return ` from ${start} until ${end}`;
  if (start !== undefined) return ` from ${start}`;
  return end === undefined ? '' : ` until ${end}`;
}

export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'subject':
      return `${short(finding.about)} is ${safe(finding.status)}${
        finding.end === undefined ? '' : `, until ${finding.end}`
      }`;
    case 'scope':
      return `${short(finding.about)} is ${safe(finding.status)}`;
    case 'permission':
      return `${safe(finding.name)} is ${finding.registered ? '' : 'not '}registered`;
    case 'administrator':
      return finding.is ? 'an administrator' : 'not an administrator';
    case 'module':
      if (finding.name === null) return 'of no module: no subscription needed';
      return finding.sold
        ? `module ${safe(finding.name)} is sold: a subscription is needed`
        : `module ${safe(finding.name)} is not sold`;
    case 'subscription':
    case 'license': {
      const state =
        finding.state === 'inactive' ? `its status is ${safe(finding.status ?? '')}` : STATES[finding.state];
      const where = `for ${short(finding.to)} at ${short(finding.at)}`;
      return `${finding.kind} ${where}${periodText(finding)}: ${state}`;
    }
    case 'role':
      return `role ${short(finding.role)} ${sourceText(finding.from)}`;
    case 'effects':
      return `derivations that allow: ${finding.allow}, that deny: ${finding.deny}`;
    case 'combination':
      return safe(finding.rule);
  }
}

export const STATES = { holds: 'holds', ended: 'has ended', not_begun: 'has not begun' } as const;

export function missingText(missing: Missing): string {
  switch (missing.code) {
    case 'subject_unknown':
    case 'subject_inactive':
    case 'subject_ended':
    case 'permission_unknown':
      return `${missing.code}: ${safe(missing.detail)}`;
    case 'scope_unknown':
    case 'scope_inactive': {
      const closes = missing.isAncestor ? ', and closes all below it' : '';
      return `${missing.code}: ${short(missing.about)} is ${safe(missing.status)}${closes}`;
    }
    case 'not_subscribed':
      return `${missing.code}: no subscription to ${short(missing.to)} holds here or above`;
    case 'not_licensed':
      return `${missing.code}: no licence for ${short(missing.to)} holds here or above`;
    case 'role_not_in_force':
      return `role ${short(missing.role)} ${sourceText(missing.from)} does not count: ${whyNot(missing.why)}`;
    case 'no_role':
      return 'no role is in force here';
    case 'no_effect':
      return 'no role in force has an effect on it';
    case 'no_allow':
      return 'no role in force allows it';
    case 'denied':
      return 'a role denies it';
  }
}

function whyNot(why: Extract<Missing, { code: 'role_not_in_force' }>['why']): string {
  if (why.code === 'of_another_tenant') return `it belongs to ${short(why.owner)}`;
  return why.code === 'deleted' ? 'it no longer exists' : `it ${STATES[why.code]}`;
}

export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'group':
      return `through group ${short(source.group)} at ${short(source.scope)}`;
    case 'assignment':
      return `assigned at ${short(source.scope)}${periodText(source)}`;
    case 'grant':
      return `through the grant in ${short(source.scope)}`;
    case 'global_role':
      return 'granted globally';
    case 'administrator':
      return 'as an administrator';
  }
}

/** As {@link sourceText}, with references, for the root of a branch. */
export function sourceHead(source: Source): string {
  switch (source.kind) {
    case 'group':
      return `group ${named(source.group)} at ${named(source.scope)}`;
    case 'assignment':
      return `assignment at ${named(source.scope)}${periodText(source)}`;
    case 'grant':
      return `grant in ${named(source.scope)}`;
    case 'global_role':
      return 'global role';
    case 'administrator':
      return 'administrator';
  }
}

export const RELATIONS: Readonly<Record<Relation, string>> = {
  here: 'here',
  above: 'above',
  below: 'below, and grants do not flow up',
  beside: 'elsewhere in this tenant, and grants flow down only',
  other_tenant: 'in another tenant',
};
