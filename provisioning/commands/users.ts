import { newSubject, subjectChanges } from '../../table/decision/writes.ts';
import { decisionKey } from '../../table/keys.ts';
import type { Command } from '../command.ts';
import { type Behaviour, nodeCommands } from '../nodes/node-commands.ts';
import { listAllCommand } from '../nodes/node-lists.ts';

/** Users: nodes with three unique values and a decision item that starts empty. */
const userBehaviour: Behaviour = {
  onCreate: async (planning, ref, { status, endsAt }) => ({
    actions: [
      newSubject(ref, planning.writtenAt, {
        status: String(status),
        ...(typeof endsAt === 'string' ? { endsAt } : {}),
      }),
    ],
  }),
  onUpdate: async (planning, node, _after, { status, endsAt }) => {
    if (status === undefined && endsAt === undefined) return [];
    const set: Record<string, string> = {};
    if (typeof status === 'string') set.status = status;
    if (typeof endsAt === 'string') set.endsAt = endsAt;
    return [subjectChanges(node.ref, planning.writtenAt).set(set, endsAt === null ? ['endsAt'] : [])];
  },
  onDelete: async (_planning, node) => [{ kind: 'delete', key: decisionKey(node.ref) }],
};

export const userCommands: readonly Command[] = [
  ...nodeCommands('user', userBehaviour),
  listAllCommand('user'),
];
