import type { Command } from 'commander';
import { ulid } from 'ulid';
import { type Finding, type Verified, verify } from '../../provisioning/verify/index.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { openTable, readEndpoint } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { type Paint, painter, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { asJson, CLEAR_LINE } from '../print.ts';
import { numberOption, tenantOption } from '../question.ts';
import { namesIn, referenceOf } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';
import { keepCheckpoints } from '../verify-checkpoint.ts';
import { notedWriter } from '../written.ts';

interface VerifyOptions extends ConnectionOptions {
  readonly tenant?: string;
  readonly repair?: boolean;
  readonly log: boolean;
  readonly rate?: number;
  readonly checkpoint?: string;
  readonly json?: boolean;
}

const EXAMPLES = `  gatehouse verify --rate 2000
  gatehouse verify --checkpoint verify.progress   (again, after an interruption: goes on)
  gatehouse verify --tenant Northwind --repair`;

/** A walk of a large table must not end because one page of it was slow. */
export const DEADLINE_MS = 30_000;
export const PROGRESS_EVERY_MS = 1_000;
export const RATES = { kind: 'number of items per second', least: 0.001, most: 1_000_000 };

/** `gatehouse verify`: checks that repeated data in the table agrees, and repairs what does not. */
export const addVerify: Subcommand = (program, context, finish) => {
  const command: Command = program
    .command('verify')
    .summary('check that the data in the table is consistent')
    .description(
      'Checks that repeated data in the table agrees: nodes, edges, guards, copies and decision items.',
    )
    .addOption(tenantOption('only this tenant, and the subjects with a grant in it'))
    .option('--repair', 'repair what can be derived; each repair is one transaction with an audit record')
    .option('--no-log', 'leave out the audit log, which is as long as all that happened in a year')
    .option('--checkpoint <file>', 'keep how far it is in this file; go on from there where it is there')
    .addOption(numberOption('--rate', '<items>', 'how many items to read per second at most', RATES));
  addHelpTexts(command, { examples: EXAMPLES }).action(async (options: VerifyOptions) => {
    const table = await openTable(options, context.env, { requestTimeoutMs: 5_000 });
    const { rate } = options;
    const tenant =
      options.tenant === undefined
        ? undefined
        : await referenceOf(
            namesIn(createReader(table)),
            { label: '--tenant', kind: 'scope' },
            options.tenant,
          );
    const { checkpoint: file } = options;
    const kept =
      file === undefined
        ? undefined
        : keepCheckpoints(
            file,
            JSON.stringify({
              ...readEndpoint(options, context.env),
              table: table.table,
              tenant,
              repair: options.repair === true,
              log: options.log,
              profile: context.env.AWS_PROFILE,
            }),
          );
    let reportedAt = context.now();
    const result = await verify({
      reader: createReader({ ...table, deadlineMs: DEADLINE_MS }),
      clock: { now: context.now },
      ...(tenant === undefined ? {} : { tenant: parseScopeRef(tenant, 'tenant') }),
      logs: options.log,
      ...(rate === undefined ? {} : { rate }),
      ...(kept ? { ...kept.options(context.now) } : {}),
      ...(options.repair
        ? { repair: { writer: notedWriter(createWriter(table), context.written), newId: () => ulid() } }
        : {}),
      onProgress: ({ partitions, items, findings }) => {
        if (!context.isErrorTerminal || context.now() - reportedAt < PROGRESS_EVERY_MS) return;
        reportedAt = context.now();
        context.error(`${CLEAR_LINE}${partitions} partitions, ${items} items, ${findings} findings`);
      },
    });
    kept?.remove();
    if (context.isErrorTerminal) context.error(CLEAR_LINE);
    const paint = painter(wantsColours(context));
    context.out(options.json ? asJson(result) : format(result, paint));
    finish(result.open.length === 0 ? OK : REFUSED);
  });
};

function lineOf(finding: Finding, paint: Paint, isDone: boolean): string {
  const { code, key, attribute, expected, effect, repairable } = finding;
  const what = attribute === undefined ? '' : ` ${attribute}`;
  const can = isDone ? 'repaired' : repairable ? '--repair repairs it' : 'cannot be derived';
  const does = effect === 'none' ? '' : `${effect}; `;
  const head = finding.dangerous ? paint('red', code) : code;
  return `${head}  ${key.PK} / ${key.SK}${what}\n  expected: ${expected} ${paint('dim', `(${does}${can})`)}\n`;
}

function format({ open, repaired, partitions, items, reads }: Verified, paint: Paint): string {
  const done = repaired.map((finding) => lineOf(finding, paint, true));
  const left = open.map((finding) => lineOf(finding, paint, false));
  const dangerous = open.filter((finding) => finding.dangerous).length;
  const sum =
    open.length === 0
      ? paint('green', 'no findings')
      : paint('red', `${open.length} finding(s), ${dangerous} of which may allow too much`);
  const put = repaired.length === 0 ? '' : `, ${repaired.length} repaired`;
  return `${[...left, ...done].join('')}${sum}${put} (${partitions} partitions, ${items} items, ${reads} reads)\n`;
}
