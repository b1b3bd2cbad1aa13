import { stringify } from 'yaml';
import {
  COMMANDS,
  type CommandDescription,
  describeCommand,
  describeCommands,
  type Failure,
  fieldsOf,
  formerText,
  type Success,
} from '../../provisioning/index.ts';
import { hint } from '../../table/similar-words.ts';
import { leftLines } from '../access.ts';
import { UsageError } from '../context.ts';
import { type Agreed, agree } from '../destruction.ts';
import { readInput, typeText } from '../input.ts';
import { isListed, withoutNames } from '../input-names.ts';
import { argument, DRY_RUN, flag, OPERATION, text, WRITING, YES } from '../options.ts';
import { columns, plain } from '../print.ts';
import { isFault, isWrongInput, openSender, RefusedError, withField } from '../provisioning.ts';
import { resolveBy } from '../references.ts';
import { type Outcome, subcommand } from '../subcommand.ts';
import type { Delivered } from '../transport.ts';

/** `gatehouse command`: every command of provisioning. */
export const addCommand = subcommand({
  name: 'command',
  summary: 'run any command that reads or changes the table',
  description: 'Runs one command of provisioning, such as user.create or role.list.',
  arguments: [
    argument('[name]', 'the command, such as user.create; --list shows all'),
    argument('[fields...]', 'its input, as FIELD=VALUE or FIELD:=JSON'),
  ],
  options: {
    list: flag('list all commands, or those whose names begin with the given one'),
    input: text('<file>', 'the input as YAML or JSON; - is the standard input'),
    dryRun: DRY_RUN,
    operation: OPERATION,
    yes: YES,
    ...WRITING,
  },
  examples: `  gatehouse command --list
  gatehouse command user.create --help
  gatehouse command user.create email=ann@example.com displayName='Ann Arbor'
  gatehouse command membership.create user=tina@school.example group='North School/Teachers'
  gatehouse command role.list scope=global limit=10 --function gatehouse-provisioning
  gatehouse command role-template.create --input template.yaml --operation template-1 --dry-run`,
  notes: `gatehouse command NAME --help lists the fields of a command. Write FIELD=VALUE:
a list as a,b or as JSON, a day or an instant as 2026-03-01 or
2026-03-01T08:00:00Z, true or false, a number, or null to clear a field. Where a
field takes an id or a reference of a user, a scope, a group or a role, a name
will do. FIELD:=JSON takes any JSON value.`,
  about: ([name = '']) => {
    const described = describeCommand(name);
    return described && describe(described);
  },
  run: async ([name, fields], options, context) => {
    if (options.list) return listOf(name);
    if (name === undefined) throw new UsageError('which command? gatehouse command --list shows all');
    const described = find(name);
    const written = await readInput(described, fields, options.input, context);
    const { dryRun = false, operation: operationId } = options;
    const sender = await openSender(options, context);
    const input = await withoutNames(
      resolveBy(sender.names),
      { name: described.name, fields: fieldsOf(described) },
      written,
      isListed(described),
    );
    const sent = { command: described.name, input };
    const said = `this sends ${[described.name, ...fields].join(' ')}`;
    const refused = (error: Failure['error'], retry: string, data: unknown): Outcome => {
      const may = error.retryable ? `retryable${retry}` : 'not retryable';
      if (!options.json)
        context.error(`gatehouse command ${name}: ${withField(error)} (${error.code}, ${may})\n`);
      return { data, refused: true, failed: isFault(error) || isWrongInput(error) };
    };
    let agreed: Agreed | undefined;
    try {
      if (!dryRun) agreed = await agree(sender, [sent], said, options, context);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return refused(error.failure, '', { ok: false, error: error.failure });
    }
    const { actor } = sender;
    const delivered = await sender.deliver({ ...sent, dryRun, operationId, actor });
    const { answer } = delivered;
    const data = { ...answer, operationId: delivered.operationId, ...agreed };
    if (!answer.ok) return refused(answer.error, ` with --operation ${delivered.operationId}`, data);
    const notes = notesOn(described, written, input, answer, delivered);
    // A use of a mandate that is not allowed is an answer, and a refusal all the same.
    const isRefused = answer.result.allowed === false;
    return { data, text: textOf(described, answer, delivered, dryRun, agreed), notes, refused: isRefused };
  },
});

/** The command of this name. Throws {@link UsageError} with what was probably meant. */
function find(name: string): CommandDescription {
  const found = describeCommand(name);
  if (found) return found;
  const all = [...COMMANDS.keys()];
  const [entity] = name.split('.');
  const related = all.filter((each) => each.startsWith(`${entity}.`));
  throw new UsageError(`there is no command ${name}: ${hint(name, related.length > 0 ? related : all)}`);
}

function listOf(prefix = ''): Outcome {
  const data = describeCommands().filter(({ name }) => name.startsWith(prefix));
  if (data.length === 0) find(prefix);
  return {
    data,
    text: `${columns(data.map(({ name, kind, summary }) => [name, kind, summary])).join('\n')}\n`,
  };
}

/** What one command takes: its fields in short, and the JSON Schema of its input. */
function describe(described: CommandDescription): string {
  const undo = described.undo === undefined ? '' : `\n\nUndo: ${described.undo}.`;
  const rows = fieldsOf(described).map(({ name, property, isRequired }) => [
    name,
    isRequired ? 'required' : '',
    typeText(property),
  ]);
  const fields = rows.length === 0 ? ['  no input'] : columns(rows).map((line) => `  ${line}`);
  const { formerly } = described;
  const former = formerly === undefined ? '' : `\n\n${formerText(formerly).replaceAll('`', '')}`;
  return `${described.name} (${described.kind}): ${described.summary}${undo}

Fields:
${fields.join('\n')}${former}

JSON Schema of its input:
${JSON.stringify(described.input, null, 2)}`;
}

function textOf(
  { name, kind }: CommandDescription,
  { result, token }: Success,
  { operationId }: Delivered,
  isDryRun: boolean,
  agreed: Agreed | undefined,
): string {
  const body = Object.keys(result).length === 0 ? '' : stringify(result, { lineWidth: 0 });
  if (kind === 'read') return body;
  if (isDryRun)
    return `${name} would succeed, and nothing was written. It would answer:\n${body.replaceAll(/^(?=.)/gm, '  ')}`;
  const named = (agreed?.named ?? []).map((each) => `${plain(each)}\n`).join('');
  const leaves = agreed?.access?.leaves;
  const left = leaves ? `${leftLines(leaves).join('\n')}\n` : '';
  return `${body}---\n${named}${left}token ${token}\noperation ${operationId}\n`;
}

/** Notes on an answer. */
function notesOn(
  { name, kind, formerly }: CommandDescription,
  written: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  { result }: Success,
  { attempts }: Delivered,
): readonly string[] {
  return [
    ...(formerly?.before.some((each) => Object.hasOwn(written, each))
      ? [formerText(formerly).replaceAll('`', '')]
      : []),
    ...(typeof result.cursor === 'string' && kind === 'read'
      ? [`there may be more: add cursor=${result.cursor}`]
      : []),
    // The text of a token is in the first answer only, and that answer was lost.
    ...(name === 'token.create' && input.tokenType === 'api' && attempts > 1 && result.token === undefined
      ? [
          `the answer with the token's text was lost, and it is kept nowhere: revoke ${result.id}, create another`,
        ]
      : []),
  ];
}
