import { stringify } from 'yaml';
import {
  type CommandDescription,
  describeCommand,
  describeCommands,
  formerText,
} from '../../provisioning/documents/commands.ts';
import { COMMANDS, type Failure, type Success } from '../../provisioning/index.ts';
import { hint } from '../../provisioning/suggestions.ts';
import { leftLines } from '../access.ts';
import { UsageError } from '../context.ts';
import { type Agreed, agree, YES } from '../destruction.ts';
import { OK, REFUSED, USAGE } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { fieldsOf, readInput, typeText } from '../input.ts';
import { isListed, withoutNames } from '../input-names.ts';
import { asJson, columns, plain } from '../print.ts';
import {
  addActorOption,
  connectForWriting,
  isFault,
  isWrongInput,
  RefusedError,
  type WriteOptions,
  withField,
} from '../provisioning.ts';
import { namesThrough, resolveBy } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';
import type { Delivered } from '../transport.ts';

interface CommandOptions extends WriteOptions {
  readonly list?: boolean;
  readonly input?: string;
  readonly dryRun?: boolean;
  readonly operation?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const EXAMPLES = `  gatehouse command --list
  gatehouse command user.create --help
  gatehouse command user.create email=ann@example.com displayName='Ann Arbor'
  gatehouse command membership.create user=tina@school.example group='North School/Teachers'
  gatehouse command role.list scope=global limit=10 --function gatehouse-provisioning
  gatehouse command role-template.create --input template.yaml --operation template-1 --dry-run`;

const NOTES = `gatehouse command NAME --help lists the fields of a command. Write FIELD=VALUE:
a list as a,b or as JSON, a day or an instant as 2026-03-01 or
2026-03-01T08:00:00Z, true or false, a number, or null to clear a field. Where a
field takes an id or a reference of a user, a scope, a group or a role, a name
will do. FIELD:=JSON takes any JSON value.`;

/** `gatehouse command`: every command of provisioning. */
export const addCommand: Subcommand = (program, context, finish) => {
  const command = program
    .command('command')
    .summary('run any command that reads or changes the table')
    .description('Runs one command of provisioning, such as user.create or role.list.')
    .argument('[name]', 'the command, such as user.create; --list shows all')
    .argument('[fields...]', 'its input, as FIELD=VALUE or FIELD:=JSON')
    .option('--list', 'list all commands, or those whose names begin with the given one')
    .option('--input <file>', 'the input as YAML or JSON; - is the standard input')
    .option('--dry-run', 'check whether it would succeed; write nothing')
    .option(
      '--operation <id>',
      'an id of this operation: a repetition with the same id changes nothing more (default: a new id)',
    )
    .option(...YES);
  addHelpTexts(addActorOption(command), {
    examples: EXAMPLES,
    notes: NOTES,
    about: ([name = '']) => {
      const described = describeCommand(name);
      return described && describe(described);
    },
  }).action(async (name: string | undefined, fields: readonly string[], options: CommandOptions) => {
    if (options.list) {
      context.out(listOf(name, options.json === true));
      return finish(OK);
    }
    if (name === undefined) throw new UsageError('which command? gatehouse command --list shows all');
    const described = find(name);
    const written = await readInput(described, fields, options.input, context);
    const { operation: operationId } = options;
    const editing = await connectForWriting(options, context);
    const input = await withoutNames(
      resolveBy(namesThrough(editing.send)),
      { name: described.name, fields: fieldsOf(described) },
      written,
      isListed(described),
    );
    const sent = { command: described.name, input };
    const said = `this sends ${[described.name, ...fields].join(' ')}`;
    const refuse = (error: Failure['error'], retry: string): void => {
      const may = error.retryable ? `retryable${retry}` : 'not retryable';
      if (!options.json)
        context.error(`gatehouse command ${name}: ${withField(error)} (${error.code}, ${may})\n`);
      finish(isFault(error) || isWrongInput(error) ? USAGE : REFUSED);
    };
    let agreed: Agreed | undefined;
    try {
      if (!options.dryRun) agreed = await agree(editing, [sent], said, options, context);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (options.json) context.out(asJson({ ok: false, error: error.failure }));
      return refuse(error.failure, '');
    }
    const delivered = await editing.deliver({
      command: described.name,
      input,
      ...(options.dryRun ? { dryRun: true } : {}),
      ...(operationId === undefined ? {} : { operationId }),
      ...(editing.actor === undefined ? {} : { actor: editing.actor }),
    });
    const { answer } = delivered;
    if (options.json) context.out(asJson({ ...answer, operationId: delivered.operationId, ...agreed }));
    if (answer.ok) {
      if (!options.json) context.out(textOf(described, answer, delivered, options.dryRun === true, agreed));
      for (const note of notesOn(described, written, input, answer, delivered))
        context.error(`note: ${note}\n`);
      return finish(OK);
    }
    refuse(answer.error, ` with --operation ${delivered.operationId}`);
  });
};

/** The command of this name. Throws {@link UsageError} with what was probably meant. */
function find(name: string): CommandDescription {
  const found = describeCommand(name);
  if (found) return found;
  const all = [...COMMANDS.keys()];
  const [entity] = name.split('.');
  const related = all.filter((each) => each.startsWith(`${entity}.`));
  throw new UsageError(`there is no command ${name}: ${hint(name, related.length > 0 ? related : all)}`);
}

function listOf(prefix: string | undefined, isJson: boolean): string {
  const all = describeCommands().filter(({ name }) => prefix === undefined || name.startsWith(prefix));
  if (all.length === 0) find(prefix ?? '');
  if (isJson) return asJson(all);
  return `${columns(all.map(({ name, kind, summary }) => [name, kind, summary])).join('\n')}\n`;
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
