import type { Explanation, Named, Place, Source } from '../../../../engine/index.ts';
import { commandsOn } from '../../../../provisioning/index.ts';
import { isBuiltIn, statusesOf } from '../../../../table/index.ts';
import { type Change, writeChanges } from '../../commands/changes.ts';
import { idOf, typeOf, userOf } from '../../refs.ts';

/** A change to look at in the view What if. */
export interface ChangeLink {
  /** As the address has it. */
  readonly change: string;
  /** What is looked at, in words. */
  readonly does: string;
}

/** What takes a grant from the subject; undefined for those that no single command takes away. */
export function leavingOf(source: Source, subject: Named, role: Named | undefined): ChangeLink | undefined {
  const removing = (command: string, input: Change['input'], does: string): ChangeLink => ({
    change: writeChanges([{ command, input: { user: userOf(subject.ref), ...input } }]) ?? '',
    does,
  });
  switch (source.kind) {
    case 'group': {
      if (source.everyone) return undefined;
      const group = idOf(source.group.ref);
      return removing('membership.delete', { group }, 'What if the subject leaves this group?');
    }
    case 'assignment': {
      if (!role) return undefined;
      const input = { scope: source.scope.ref, role: idOf(role.ref) };
      return removing('assignment.delete', input, 'What if this assignment is taken away?');
    }
    case 'grant':
      return removing('grant.delete', { scope: source.scope.ref }, 'What if the subject leaves this tenant?');
    default:
      return undefined;
  }
}

export const joining = (subject: Named, group: Named): Change => ({
  command: 'membership.create',
  input: { user: userOf(subject.ref), group: idOf(group.ref) },
});

/** Gives the subject a role where it is asked about. An assignment that is there at another time loses its bounds. */
export function assigning({ subject, path, suggestions }: Explanation, role: Named): Change {
  const input = { user: userOf(subject.ref), scope: path[0]?.ref ?? '', role: idOf(role.ref) };
  const isThere = suggestions?.granted.items.some(
    ({ from, relation, roles }) =>
      from.kind === 'assignment' && relation === 'here' && roles[0]?.ref === role.ref,
  );
  return isThere
    ? { command: 'assignment.update', input: { ...input, startsAt: null, endsAt: null } }
    : { command: 'assignment.create', input };
}

/**
 * Whether a command makes a scope active again: a deletion ends by itself, for example. One that is inactive without a
 * status that says so is named all the same.
 */
const canOpen = ({ ref, status }: Place): boolean =>
  status === 'inactive' ||
  (status !== 'active' && statusesOf(isBuiltIn(typeOf(ref)) ? typeOf(ref) : 'scope').includes(status));

/**
 * What would lift a refusal that no grant can lift: scopes and the subject that a status keeps from being active, each with
 * the command that makes it so.
 */
export function remediesOf({ reason, path, subject }: Explanation) {
  const activating = (of: Named, kind: 'scope' | 'subject') => ({
    of,
    change: commandsOn(of.ref, kind).open,
  });
  if (reason === 'scope_inactive') return path.filter(canOpen).map((of) => activating(of, 'scope'));
  return reason === 'subject_inactive' ? [activating(subject, 'subject')] : [];
}
