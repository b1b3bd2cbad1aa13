import type { Explanation, Named, Source } from '../../../../engine/index.ts';
import { ENTITIES } from '../../../../table/index.ts';
import { type Change, writeChanges } from '../what-if/changes.ts';

/** A change to look at in the view What if. */
export interface ChangeLink {
  /** As the address has it. */
  readonly change: string;
  /** What is looked at, in words. */
  readonly does: string;
}

const idOf = ({ ref }: Named): string => ref.slice(ref.indexOf(':') + 1);

/** A user by its id; a subject of another type by its reference, as commands have it. */
const userOf = (subject: Named): string => (subject.ref.startsWith('user:') ? idOf(subject) : subject.ref);

/** What takes a grant from the subject; undefined for those that no single command takes away. */
export function leavingOf(source: Source, subject: Named, role: Named | undefined): ChangeLink | undefined {
  const user = userOf(subject);
  switch (source.kind) {
    case 'group': {
      if (source.everyone) return undefined;
      const input = { user, group: idOf(source.group) };
      return removing({ command: 'membership.delete', input }, 'What if the subject leaves this group?');
    }
    case 'assignment': {
      if (!role) return undefined;
      const input = { user, scope: source.scope.ref, role: idOf(role) };
      return removing({ command: 'assignment.delete', input }, 'What if this assignment is taken away?');
    }
    case 'grant': {
      const input = { user, scope: source.scope.ref };
      return removing({ command: 'grant.delete', input }, 'What if the subject leaves this tenant?');
    }
    default:
      return undefined;
  }
}

const removing = (change: Change, does: string): ChangeLink => ({
  change: writeChanges([change]) ?? '',
  does,
});

export const joining = (subject: Named, group: Named): Change => ({
  command: 'membership.create',
  input: { user: userOf(subject), group: idOf(group) },
});

/** Gives the subject a role where it is asked about. An assignment that is there at another time loses its bounds. */
export function assigning({ subject, path, suggestions }: Explanation, role: Named): Change {
  const input = { user: userOf(subject), scope: path[0]?.ref ?? '', role: idOf(role) };
  const isThere = suggestions?.granted.items.some(
    ({ from, relation, roles }) =>
      from.kind === 'assignment' && relation === 'here' && roles[0]?.ref === role.ref,
  );
  return isThere
    ? { command: 'assignment.update', input: { ...input, startsAt: null, endsAt: null } }
    : { command: 'assignment.create', input };
}

/** What would lift a refusal that no grant can lift: a scope or subject that is not active. */
export interface Remedy {
  /** The entity that it changes. */
  readonly of: Named;
  readonly does: string;
  readonly change: Change;
}

/** Statuses that nobody can change by a command, or need not. */
const SETTLED: readonly string[] = ['active', 'unknown', 'not looked at', 'being deleted', 'being moved'];

/** Scopes and the subject that a status keeps from being active, and the command that makes them so. */
export function remediesOf({ reason, path, subject }: Explanation): readonly Remedy[] {
  if (reason === 'scope_inactive')
    return path.filter(({ status }) => !SETTLED.includes(status)).map((of) => activating(of, 'scope'));
  return reason === 'subject_inactive' ? [activating(subject, 'subject')] : [];
}

/** A type that was added is changed by the command of all that were. */
function activating(of: Named, kind: 'scope' | 'subject'): Remedy {
  const type = of.ref.slice(0, of.ref.indexOf(':'));
  const status = 'active';
  const change = Object.hasOwn(ENTITIES, type)
    ? { command: `${type}.update`, input: { id: idOf(of), status } }
    : { command: `${kind}.update`, input: { [kind === 'scope' ? 'scope' : 'user']: of.ref, status } };
  return { of, does: 'make it active', change };
}
