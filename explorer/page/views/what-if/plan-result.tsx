import { brokenLines, type PlanAnswer } from '../../../../provisioning/index.ts';
import type { Change } from '../../commands/changes.ts';
import { Warning } from '../../parts/field.tsx';
import { losersIn } from './changes-comparison.tsx';
import { Compared } from './compared.tsx';
import { Side } from './difference.tsx';
import { type Made, Make } from './make.tsx';
import { Planned, type ShownChange } from './planned.tsx';

export interface PlanResultProps {
  readonly answer: (PlanAnswer & { readonly changes: readonly ShownChange[] }) | undefined;
  /** Another plan is being made: the answer is the one before. */
  readonly isLoading: boolean;
  /** Makes the plan anew. */
  readonly refresh: () => void;
  /** What applies it; undefined where it may not be applied. */
  readonly command: Change | undefined;
  readonly onMade: (made: Made) => void;
}

/** What tenant.plan answered: the difference in access, and the changes. */
export function PlanResult({ answer, isLoading, refresh, command, onMade }: PlanResultProps) {
  const hasProblems = answer !== undefined && answer.problems.length > 0;
  if (hasProblems && !isLoading) return <ManifestProblems of={answer} />;
  const plan = hasProblems ? undefined : answer;
  return (
    <>
      <Compared difference={plan?.access} isLoading={isLoading} changes={plan?.changes ?? []}>
        {plan && !isLoading && <Summed of={plan} />}
        {plan && command && plan.changes.length > 0 && (
          <Make
            command={command}
            difference={plan.access}
            isLoading={isLoading}
            refresh={refresh}
            revoked={losersIn(plan.access)[0]}
            onMade={onMade}
          >
            <Summed of={plan} />
            <Planned changes={plan.changes.filter(({ id }) => id !== undefined)} />
          </Make>
        )}
      </Compared>
      {plan && (
        <div class={isLoading ? 'outdated' : undefined}>
          <Planned changes={plan.changes} />
        </div>
      )}
    </>
  );
}

/** How much a plan does, and what to know before it is done. */
function Summed({ of }: { readonly of: PlanAnswer }) {
  const { create, change, remove, dangerous, kept, unchanged, warning, between } = of;
  const broken = brokenLines(of.invariants);
  return (
    <>
      <p>
        {create} to create, {change} to change, {remove} to remove; {dangerous} dangerous; {unchanged}{' '}
        unchanged
        {kept > 0 && `; ${kept} in the table and not in the manifest: they stay`}.
      </p>
      {warning !== undefined && (
        <Warning>
          <bdi>{warning}</bdi>
        </Warning>
      )}
      {broken.length > 0 && (
        <>
          <Warning>This breaks invariants:</Warning>
          <ul>
            {broken.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {between && <Side name="between" side={between} isLeast={false} />}
      {between && <p>With the id of the old entry, a new name is one change, and nobody is refused.</p>}
    </>
  );
}

function ManifestProblems({ of: { problems } }: { readonly of: PlanAnswer }) {
  return (
    <div class="problem" role="alert">
      <p>
        <strong>The manifest has problems; nothing is compared.</strong>
      </p>
      <ul>
        {problems.map(({ path, message }) => (
          <li key={`${path.join('/')} ${message}`}>
            <bdi>
              {path.join(' / ')}: {message}
            </bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
