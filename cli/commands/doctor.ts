import { defined } from '../../table/defined.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { openTable, tableOf } from '../connection.ts';
import { type Context, type Paint, UsageError } from '../context.ts';
import { checkAttached, unattested } from '../doctor/cache.ts';
import { checkClock, dateOfTable } from '../doctor/clock.ts';
import { checkConfiguration, checkSize } from '../doctor/configuration.ts';
import { checkCost, type Question } from '../doctor/cost.ts';
import { checkIssuers } from '../doctor/issuers.ts';
import { checkOperations } from '../doctor/operators.ts';
import { CHECKS, type CheckName, type Found, type Result, reporter } from '../doctor/result.ts';
import { checkRights } from '../doctor/rights.ts';
import { checkRoutes, checkWrittenScopes } from '../doctor/routes.ts';
import { checkTable, describeTable } from '../doctor/table-form.ts';
import { checkPolicy, checkStamps } from '../doctor/writers.ts';
import { variablesOf } from '../lambda.ts';
import { flag, type GlobalOptions, parsed, repeated, text, type ValuesOf } from '../options.ts';
import { columns, count } from '../print.ts';
import { existing } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  authorizer: text(
    '<function>',
    'take the variables from this deployed function (default: from the environment)',
  ),
  authorizers: repeated(
    '<api-id=file>',
    'compare RESULT_CACHE with what aws apigatewayv2 get-authorizers, or aws apigateway get-authorizers, printed; may be repeated',
  ),
  provisioning: text(
    '<function>',
    'take OPERATIONS_SCOPE from this deployed function (default: from the environment)',
  ),
  asAuthorizer: flag('the credentials in use are those of the authorizer: they must not see secrets'),
  only: parsed('<checks>', `only these, with commas: ${CHECKS.join(', ')}`, readChecks),
  subject: text('<subject>', 'with --permission and --scope: the question that is asked for its cost'),
  permission: text('<permission>', 'see --subject'),
  scope: text('<scope>', 'see --subject'),
};
type DoctorOptions = ValuesOf<typeof OPTIONS> & GlobalOptions;

/** Of nobody: it finds out what a decision costs, unless a question is given. */
const NO_QUESTION: Question = { subject: 'user:0', permission: 'dashboard', scope: 'tenant:0' };

function readChecks(text: string): readonly CheckName[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !CHECKS.some((check) => check === name));
  if (unknown.length > 0) throw new UsageError(`--only ${unknown.join(',')}: there are ${CHECKS.join(', ')}`);
  return names as CheckName[];
}

/** Those that need the table. */
const OF_THE_TABLE = ['table', 'rights', 'clock', 'writers', 'cache', 'routes', 'operators', 'cost'] as const;
/** Checks of what the configuration names. */
const OF_THE_CONFIGURATION = ['issuers', 'cache', 'routes'] as const;

/** The question for the cost of a decision. Throws {@link UsageError} for a part of one. */
function questionIn({ subject, permission, scope }: DoctorOptions): Question | undefined {
  const given = [subject, permission, scope].filter((each) => each !== undefined).length;
  if (given !== 0 && given !== 3)
    throw new UsageError('give --subject, --permission and --scope together, or none');
  return subject && permission && scope ? { subject, permission, scope } : undefined;
}

/** `gatehouse doctor`: whether what a decision stands on is in order, before a deployment and while it runs. */
export const addDoctor = subcommand({
  name: 'doctor',
  summary: 'check the configuration, the issuers and the table',
  description:
    'Checks what decisions stand on: the variables of the authorizer, the keys of its issuers, the table, rights, the clocks here and of writers, what API Gateway caches by, and what a decision costs. It writes nothing.',
  options: OPTIONS,
  examples: `  TOKEN_ISSUER=https://issuer.example TOKEN_AUDIENCE=https://api.example gatehouse doctor --only configuration,issuers
  gatehouse doctor --authorizer gatehouse-live-authorizer --table gatehouse-live-table
  gatehouse doctor --authorizers a1b2c3d4e5=authorizers.json --json`,
  run: async (_, options, context) => {
    const results = await examine(options, questionIn(options), context);
    const failed = results.filter(({ status }) => status === 'failed').length;
    return {
      data: { ok: failed === 0, results },
      text: (paint) => format(results, failed, paint),
      refused: failed > 0,
    };
  },
});

async function examine(
  options: DoctorOptions,
  question: Question | undefined,
  context: Context,
): Promise<readonly Result[]> {
  const isWanted = (check: CheckName): boolean => options.only?.includes(check) ?? true;
  const results: Result[] = [];
  const add = async (check: CheckName, examined: () => Promise<Found>) => {
    if (isWanted(check)) results.push(...[await examined()].flat());
  };
  const { region } = options;
  const variables = async (name: string | undefined) =>
    name === undefined ? undefined : variablesOf({ name, ...defined({ region }) });
  const deployed = await variables(options.authorizer);
  const env = { ...(deployed ?? context.env) };
  // Before the first deployment there is no table yet: the other variables are checked all the same.
  env.TABLE_NAME ||= options.table ?? context.env.TABLE_NAME ?? 'gatehouse';
  const { configuration, results: found } = checkConfiguration(env);
  await add('configuration', async () => [...found, ...(deployed ? checkSize(deployed) : [])]);
  if (configuration) {
    await add('issuers', () => checkIssuers(configuration, context));
    // What is wrong with a file is said, whatever is wanted.
    const attached = await checkAttached(configuration, options.authorizers);
    await add('cache', async () => (options.authorizers.length > 0 ? attached : unattested(configuration)));
  } else
    for (const check of OF_THE_CONFIGURATION)
      await add(check, async () =>
        reporter(check).notChecked('it needs a configuration with which the authorizer starts'),
      );
  if (!OF_THE_TABLE.some(isWanted)) return results;
  const tableRegion = env.TABLE_REGION || undefined;
  const connection = {
    ...options,
    region: region ?? tableRegion,
    table: options.table ?? (deployed?.TABLE_NAME || tableOf(options, context.env)),
  };
  const table = await openTable(connection, context.env);
  const reader = createReader(table);
  const described = isWanted('table') || isWanted('writers') ? await describeTable(table) : undefined;
  await add('table', () => checkTable(table, described, tableRegion));
  await add('rights', () => checkRights(table, options.asAuthorizer === true));
  await add('clock', () => checkClock(context.now, () => dateOfTable(table)));
  await add('writers', async () => [
    await checkStamps(reader, context.now),
    ...[await checkPolicy(table, described?.TableArn)].flat(),
  ]);
  if (configuration) {
    const inApi = { ...connection, api: configuration.api };
    await add('cache', () => checkRoutes(inApi, context, env));
    await add('routes', () => checkWrittenScopes(inApi, context));
  }
  await add('operators', async () => {
    const { OPERATIONS_SCOPE } = (await variables(options.provisioning)) ?? context.env;
    return checkOperations(reader, OPERATIONS_SCOPE || undefined);
  });
  await add('cost', async () => {
    const asked = question && {
      subject: await existing(reader, 'subject', question.subject),
      permission: await existing(reader, 'permission', question.permission),
      scope: await existing(reader, 'scope', question.scope),
    };
    return checkCost(reader, context.now, asked ?? NO_QUESTION);
  });
  return results.length > 0 ? results : [reporter('configuration').notChecked('nothing was checked')];
}

const COLOURS = { ok: 'green', failed: 'red', warning: 'red', not_checked: 'dim' } as const;

function format(results: readonly Result[], failed: number, paint: Paint): string {
  const lines = columns(
    results.map(({ check, status, message }) => [status.replace('_', ' '), check, message]),
  ).map((line, at) => {
    const status = results[at]?.status ?? 'ok';
    const word = status.replace('_', ' ');
    return line.replace(word, paint(COLOURS[status], word));
  });
  const warnings = results.filter(({ status }) => status === 'warning').length;
  return `${[...lines, `${count(failed, 'failure')}, ${count(warnings, 'warning')}`].join('\n')}\n`;
}
