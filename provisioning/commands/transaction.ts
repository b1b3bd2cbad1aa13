import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import * as field from '../../table/entities/fields.ts';
import { GatehouseError } from '../../table/errors.ts';
import { isObject } from '../../table/json.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { auditOf, createAssembly } from '../assembly.ts';
import { auditSize } from '../audit.ts';
import { type Command, keeping, takesAway, writeCommand } from '../command.ts';
import { type AuditEntry, type Plan, recorded } from '../plan.ts';

/** More than this many could never fit: each part has an audit record beside what it writes. */
const MAX_PARTS = MAX_ACTIONS / 2;

type Given = Readonly<Record<string, unknown>>;

/** Each part's own schema looks at what is in it. */
const inputOfPart = z.unknown().refine(isObject, 'must be an object');

export const transactionInput = z.strictObject({
  commands: z
    .array(z.strictObject({ command: z.string().max(64), input: inputOfPart }))
    .min(1)
    .max(MAX_PARTS)
    .meta({ description: 'list of `{ command, input }`' }),
  ifExists: field.ifExists,
});

/** The command that puts others together; `parts` are those that it may. */
export const transactionCommand = (parts: ReadonlyMap<string, Command>): Command =>
  writeCommand({
    name: 'transaction.write',
    summary:
      'Runs several write commands in one transaction, all of them or none, each as if those before it were done. Commands that take several transactions, such as large deletions, are refused. An error names its field as commands.N.field.',
    input: transactionInput,
    destructive: {
      undo: 'the undo of each command in it, such as membership.create for membership.delete',
      when: ({ commands }) =>
        Array.isArray(commands) &&
        commands.some((part) => takesAway(parts.get(part?.command), part?.input ?? {})),
    },
    carries: true,
    plan: async (planning, { commands, ifExists }) => {
      const assembly = createAssembly(planning, parts);
      const plans: Plan[] = [];
      const audit: AuditEntry[] = [];
      for (const [position, part] of commands.entries()) {
        const { command } = part;
        const given = keeping(ifExists, parts, part);
        const plan = await assembly.plan(command, given as Given, (error) => inPart(position, error));
        plans.push(plan);
        audit.push(...auditOf(command, plan));
        // The record of the operation goes with it.
        const size = assembly.actions().length + auditSize(recorded({ audit })) + 1;
        if (size > MAX_ACTIONS) throw tooLarge(position, size);
      }
      const results = (resultOf: (plan: Plan) => Plan['result']) => ({ results: plans.map(resultOf) });
      return {
        actions: assembly.actions(),
        result: results(({ result }) => result),
        ...(plans.some(({ shownOnce }) => shownOnce !== undefined)
          ? { shownOnce: results(({ result, shownOnce }) => ({ ...result, ...shownOnce })) }
          : {}),
        audit,
        carries: audit,
      };
    },
  });

/** An error of a part names its field as `commands.N.field`. */
export const inPart = (position: number, error: GatehouseError): GatehouseError =>
  new GatehouseError(error.code, error.message, {
    ...defined({
      field: error.field === undefined ? undefined : `commands.${position}.${error.field}`,
      holder: error.holder,
    }),
    cause: error,
  });

const tooLarge = (position: number, size: number) =>
  new GatehouseError(
    'limit_exceeded',
    `up to this command it is ${size} items with the audit records; one transaction holds ${MAX_ACTIONS}`,
    { field: `commands.${position}` },
  );
