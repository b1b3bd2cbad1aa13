import { COMMANDS } from '../../../../provisioning/all-commands.ts';
import { queriesBy } from '../../../../provisioning/apply/queries.ts';
import { createCoverage } from '../../../../provisioning/evidence/log-coverage.ts';
import { readLogLine } from '../../../../provisioning/evidence/log-lines.ts';
import { reportUsage } from '../../../../provisioning/evidence/usage/report.ts';
import { createUses } from '../../../../provisioning/evidence/usage/uses.ts';
import type { createMemoryWorld } from '../../../support/world.ts';

export type LogWorld = ReturnType<typeof createMemoryWorld>;
export const DAY_MS = 86_400_000;

interface Asked {
  readonly days?: number;
  readonly elsewhere?: readonly string[];
  readonly isComplete?: boolean;
  readonly tenant?: string;
  readonly most?: number;
}

/** What `gatehouse usage` finds in a log of this world. */
export async function usageIn(
  { provision, reader, clock }: LogWorld,
  lines: readonly string[],
  { days = 30, elsewhere = [], isComplete = true, tenant, most = 100 }: Asked = {},
) {
  const at = clock.now();
  const from = at - days * DAY_MS;
  const coverage = createCoverage({ from, until: at });
  const uses = createUses();
  for (const line of lines) {
    const record = readLogLine(line);
    if (coverage.add(record) && record.is === 'decision') uses.add(record);
  }
  const queries = queriesBy(async (command, input) => {
    const answer = await provision({ command, input });
    if (answer.ok) return answer.result;
    if (answer.error.code === 'not_found') return undefined;
    throw new Error(`${command}: ${answer.error.message}`);
  });
  const report = await reportUsage({
    queries,
    reader,
    commands: COMMANDS,
    coverage: coverage.coverage(),
    uses: uses.uses(),
    from,
    at,
    elsewhere,
    isComplete,
    tenant,
    most,
  });
  return { ...report, coverage: coverage.coverage() };
}

/** What is unused, in words and sorted: `bob membership teachers`, `role teacher roster`. */
export const unusedIn = ({ unused }: Awaited<ReturnType<typeof usageIn>>): readonly string[] =>
  unused
    .map(({ is, subject, group, scope, roles, permission }) =>
      is === 'permission'
        ? `role ${roles.join()} ${permission}`
        : [subject?.replace('user:', ''), is, group ?? roles.join(), is === 'membership' ? undefined : scope]
            .filter((each) => each !== undefined && each !== '')
            .join(' '),
    )
    .sort();
