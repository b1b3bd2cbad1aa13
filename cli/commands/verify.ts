import { ulid } from 'ulid';
import { type Finding, type Verified, verify } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { changingLine } from '../changing-line.ts';
import { openStore, readEndpoint, tableOf } from '../connection.ts';
import type { Paint } from '../context.ts';
import { flag, number, off, text } from '../options.ts';
import { namesIn, referenceOf } from '../references.ts';
import { subcommand } from '../subcommand.ts';
import { keepCheckpoints } from '../verify-checkpoint.ts';
import { notedWriter } from '../written.ts';

/** A walk of a large table must not end because one page of it was slow. */
export const WALK = { requestTimeoutMs: 5_000, deadlineMs: 30_000 };

export const rate = number('<items>', 'how many items to read per second at most', {
  kind: 'number of items per second',
  least: 0.001,
  most: 1_000_000,
});

/** `gatehouse verify`: checks that repeated data in the table agrees, and repairs what does not. */
export const addVerify = subcommand({
  name: 'verify',
  summary: 'check that the data in the table is consistent',
  description:
    'Checks that repeated data in the table agrees: nodes, edges, guards, copies and decision items.',
  options: {
    tenant: text('<tenant>', 'only this tenant, and the subjects with a grant in it'),
    repair: flag('repair what can be derived; each repair is one transaction with an audit record'),
    log: off('leave out the audit log, which is as long as all that happened in a year'),
    checkpoint: text('<file>', 'keep how far it is in this file; go on from there where it is there'),
    rate,
  },
  examples: `  gatehouse verify --rate 2000
  gatehouse verify --checkpoint verify.progress   (again, after an interruption: goes on)
  gatehouse verify --tenant Northwind --repair`,
  run: async (_, options, context) => {
    const { env, now, written } = context;
    const { reader, writer } = await openStore(options, context, WALK);
    const { rate, repair = false, log, checkpoint } = options;
    const tenant = await referenceOf(namesIn(reader), { label: '--tenant', kind: 'scope' }, options.tenant);
    const at = readEndpoint(options, env);
    const identity = { ...at, table: tableOf(options, env), tenant, repair, log, profile: env.AWS_PROFILE };
    const kept = checkpoint === undefined ? undefined : keepCheckpoints(checkpoint, JSON.stringify(identity));
    const show = changingLine(context);
    const result = await verify({
      reader,
      clock: { now },
      ...(tenant === undefined ? {} : { tenant: parseScopeRef(tenant, 'tenant') }),
      logs: log,
      ...defined({ rate }),
      ...kept?.options(now),
      ...(repair ? { repair: { writer: notedWriter(writer, written), newId: () => ulid() } } : {}),
      onProgress: ({ partitions, items, findings }) =>
        show(`${partitions} partitions, ${items} items, ${findings} findings`),
    });
    kept?.remove();
    show(undefined);
    return {
      data: result,
      text: (paint) => format(result, paint),
      refused: result.open.length > 0,
    };
  },
});

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
