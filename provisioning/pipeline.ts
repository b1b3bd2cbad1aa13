import type { KnownSplits } from '../table/decision/split.ts';
import { stamped } from '../table/decision/writes.ts';
import { invalid } from '../table/errors.ts';
import type { Item } from '../table/item.ts';
import { approvalKey, operationKey } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import type { Action } from '../table/write/action.ts';
import { asChecks } from '../table/write/transaction.ts';
import type { WriteNotes, Writer } from '../table/writer.ts';
import { type AuditContext, auditActions } from './audit.ts';
import type { Command } from './command.ts';
import { withBeside } from './edges/edges-beside.ts';
import { inCurrentNames } from './former-names.ts';
import { readInput } from './input.ts';
import { createEnforcement } from './invariants/enforce.ts';
import { createSameNodes } from './nodes/same-nodes.ts';
import { type Operation, type Outcome, recall } from './operation.ts';
import { askedBefore } from './operators/approval.ts';
import type { Guarded } from './operators/guard.ts';
import { type Plan, type Planning, recorded, type Sent } from './plan.ts';
import { type Encryption, revealed, type SubjectKeys, sealed } from './pseudonyms.ts';

/** What provisioning works with. */
export interface Ports {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly clock: { readonly now: () => number };
  /** Fresh ULIDs. */
  readonly newId: () => string;
  /** 256 random bits as text, for the tokens that are issued. */
  readonly newSecret: () => string;
  /** Makes what encrypts personal values under a secret. Default: by WebCrypto. */
  readonly encryption?: ((secret: string) => Promise<Encryption>) | undefined;
}

export interface PlanOptions {
  readonly guarded: Guarded | undefined;
  /** The id of the operation, where it is going to be written. */
  readonly operation?: string | undefined;
  readonly from?: Reader;
  readonly now?: string;
  readonly again?: boolean;
}

/**
 * What each command goes through that is sent alone or with others: begin → plan → seal → stamp → send.
 *
 * @param splits which items are known to have parts that stand apart
 */
export function createPipeline(ports: Ports, commands: ReadonlyMap<string, Command>, splits: KnownSplits) {
  const { reader, writer, clock, newId, newSecret, encryption } = ports;
  const enforce = createEnforcement({ reader, clock });
  const timeNow = (): string => new Date(clock.now()).toISOString();
  const recalled = (operation: Operation, record: Item): Promise<Outcome> =>
    revealed(reader, recall(operation, record));
  return {
    /** Reads what was sent, and asks whether it may be; a command that reads is answered by that. */
    begin: async (
      { command: name, input: sent }: Sent,
      guarded: Guarded | undefined,
      { from = reader, now }: Pick<PlanOptions, 'from' | 'now'> = {},
    ) => {
      const command = commands.get(name);
      if (!command) throw invalid('command', unknownCommand(name, commands));
      const given = inCurrentNames(name, sent);
      const input = readInput(command, given) as never;
      await guarded?.begin(name, given);
      return command.kind === 'read'
        ? { result: await command.run({ reader: from, now: now ?? timeNow() }, input) }
        : { command, input, given };
    },

    /**
     * The outcome of an operation that the caller named and that was carried out before. One that an operator was asked to
     * approve is not carried out otherwise, whatever it needs by now: throws what became of it.
     */
    earlier: async (
      operation: Operation | undefined,
      guarded: Guarded | undefined,
      from = reader,
    ): Promise<Outcome | undefined> => {
      if (!operation?.named) return undefined;
      const [record, request] = await Promise.all([
        from.get(operationKey(operation.id)),
        guarded && from.get(approvalKey(operation.id)),
      ]);
      if (record) return recalled(operation, record);
      if (!guarded || !request) return undefined;
      throw askedBefore({ operation, requestedBy: guarded.operator.subject, now: timeNow() }, request);
    },

    /** What an operation came to, as its record says. Throws `operation_mismatch` for that of another request. */
    recalled,

    /** Plans one transaction. `nodes` keeps to the nodes that the plan came upon. */
    plan: async (make: NonNullable<Plan['next']>, { guarded, operation, from, now, again }: PlanOptions) => {
      const nodes = createSameNodes(from ?? reader);
      const planning: Planning = {
        reader: nodes.reader,
        now: now ?? timeNow(),
        newId,
        newSecret,
        splits,
        again,
        operator: guarded?.operator.subject,
        operation,
      };
      return {
        plan: await enforce(await make(planning), { now: planning.now, beside: from }),
        nodes,
        now: planning.now,
      };
    },

    /**
     * The records of a plan and its result for the record, with pseudonyms. What it answers as `keys` writes the keys that
     * were made; `keys` are those that commands of one transaction share.
     */
    seal: async (
      plan: Plan,
      context: Omit<AuditContext, 'newId'>,
      readsAll: boolean,
      { from = reader, keys = new Map() }: { readonly from?: Reader; readonly keys?: SubjectKeys } = {},
    ) => {
      const { actor, origin } = context.event;
      const known = await sealed(
        { entries: withBeside(recorded(plan), plan.actions), actor, origin, result: plan.result },
        { reader: from, newSecret, encryption, keys, readsAll },
      );
      const event = { ...context.event, origin: known.origin };
      return {
        result: known.result,
        keys: known.actions,
        audit: auditActions(known.entries, { ...context, event, newId }),
      };
    },

    /** Sends a transaction; of a dry run its conditions. */
    send: async (actions: readonly Action[], isDryRun: boolean, notes?: WriteNotes): Promise<void> => {
      // The stamp is of the sending: readers cannot know how long planning and waiting took.
      const made = stamped(actions, { writtenAt: clock.now(), writeId: newId() }, splits);
      const sent = isDryRun ? asChecks(made) : made;
      if (sent.length > 0) await writer.send(sent, notes);
    },
  };
}

export type Pipeline = ReturnType<typeof createPipeline>;
/** A command that is to be planned. */
export type Begun = Exclude<Awaited<ReturnType<Pipeline['begin']>>, { readonly result: unknown }>;

function unknownCommand(name: string, commands: ReadonlyMap<string, Command>): string {
  const [entity] = name.split('.');
  const similar = [...commands.keys()].filter((known) => known.startsWith(`${entity}.`));
  return similar.length > 0
    ? `no such command; of ${entity} there are ${similar.join(', ')}`
    : 'no such command';
}
