import { useEffect, useState } from 'preact/hooks';
import type { PlanAnswer, SavedPlan } from '../../../../provisioning/index.ts';
import { useClient, useCommand } from '../../client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type ComparisonProps, losersIn } from './changes-comparison.tsx';
import { Compared } from './compared.tsx';
import type { Currency } from './document.ts';
import { Make } from './make.tsx';
import { FileField, type OpenedFile, openText, TextField } from './opened-file.tsx';
import { Planned } from './planned.tsx';

/** Compares a manifest, or a plan in a file, with the table: what applying it would do, and remove. */
export function ManifestComparison({ state, go, onMade, onOther }: ComparisonProps) {
  const { manifest: ownText } = useClient();
  const [file, setFile] = useState<OpenedFile>();
  const own = useOwn(ownText);
  const current = file ?? own;
  const opened = current?.opened;
  const manifest = opened && 'manifest' in opened ? opened.manifest : undefined;
  const plan = opened && 'manifest' in opened ? opened.plan : undefined;
  const pruning = pruningOf(state, plan);
  const input = manifest && { manifest, ...pruning };
  const compared = useCommand('tenant.plan', input);
  const answer = compared.value as unknown as PlanAnswer | undefined;
  const currency = useCurrency(plan, compared.isLoading ? undefined : answer);
  const isOutdated = currency !== undefined && currency.beyond.size > 0;
  const take = (next: OpenedFile | undefined) => {
    onOther();
    setFile(next);
  };
  const isPlanned = answer !== undefined && answer.problems.length === 0;
  return (
    <>
      <FileField onOpen={take} />
      {current && (
        <p>
          Compared:{' '}
          <strong>
            <bdi>{current.name}</bdi>
          </strong>
          {file && own && (
            <>
              {' '}
              <button type="button" onClick={() => take(undefined)}>
                Compare the manifest of the playground instead
              </button>
            </>
          )}
        </p>
      )}
      {current && manifest && !plan && <TextField key={current.text} file={current} onOpen={take} />}
      {manifest && !plan && <PruneFields state={state} go={go} />}
      {plan && <PlanNote plan={plan} />}
      {!current && (
        <Empty title="No manifest yet">
          Choose a manifest, or a plan that <code>npx gatehouse-authz plan … --out FILE</code> wrote.
        </Empty>
      )}
      {opened && 'problem' in opened && (
        <p class="wrong">
          <bdi>{opened.problem}</bdi>
        </p>
      )}
      {compared.error && <Problem of={compared.error} retry={compared.retry} />}
      {answer && answer.problems.length > 0 && (
        <div class="problem" role="alert">
          <p>
            <strong>The manifest has problems; nothing is compared.</strong>
          </p>
          <ul>
            {answer.problems.map(({ path, message }) => (
              <li key={`${path.join('/')} ${message}`}>
                <bdi>
                  {path.join(' / ')}: {message}
                </bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {plan && currency && !compared.isLoading && <CurrencyNote plan={plan} of={currency} />}
      <Compared
        difference={isPlanned ? answer.access : undefined}
        isLoading={compared.isLoading}
        state={state}
      >
        {isPlanned && <Counts of={answer} />}
        {isPlanned && input && answer.changes.length > 0 && (!plan || (currency && !isOutdated)) && (
          <Make
            command={{
              command: 'tenant.apply',
              input: {
                ...input,
                ...(plan ? { agreed: plan.changes, exact: true } : { agreed: agreedIn(answer) }),
              },
            }}
            difference={answer.access}
            revoked={losersIn(answer.access)[0]}
            state={state}
            onMade={onMade}
          >
            <Counts of={answer} />
            <Planned changes={answer.changes.filter(({ id }) => id !== undefined)} />
          </Make>
        )}
      </Compared>
      {isPlanned && (
        <div class={compared.isLoading ? 'outdated' : undefined}>
          <Planned changes={answer.changes} beyond={currency?.beyond} />
        </div>
      )}
    </>
  );
}

/** What of the changes has to be agreed to: removals, and what is dangerous. */
const agreedIn = ({ changes }: PlanAnswer): readonly string[] => changes.flatMap(({ id }) => id ?? []);

/** The manifest of the playground. */
function useOwn(text: string | undefined): OpenedFile | undefined {
  const [own, setOwn] = useState<OpenedFile>();
  useEffect(() => {
    if (text === undefined) return;
    let isCurrent = true;
    openText('the manifest of the playground', text).then((file) => {
      if (isCurrent) setOwn(file);
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return own;
}

/** Compares a saved plan with what its manifest takes now. */
function useCurrency(plan: SavedPlan | undefined, answer: PlanAnswer | undefined): Currency | undefined {
  const [currency, setCurrency] = useState<Currency>();
  const changes = answer?.changes;
  useEffect(() => {
    setCurrency(undefined);
    if (!plan || !changes) return;
    let isCurrent = true;
    import('./document.ts')
      .then(({ currencyOf }) => currencyOf(plan, changes))
      .then((found) => {
        if (isCurrent) setCurrency(found);
      });
    return () => {
      isCurrent = false;
    };
  }, [plan, changes]);
  return currency;
}

type State = ComparisonProps['state'];

/** What is removed: a plan says it itself. */
export const pruningOf = (state: State, plan: SavedPlan | undefined) => {
  const [prune, pruneShared] = plan
    ? [plan.prune, plan.pruneShared]
    : [state.prune !== undefined, state.prune === 'shared'];
  return { ...(prune ? { prune } : {}), ...(pruneShared ? { pruneShared } : {}) };
};

function PruneFields({ state, go }: Pick<ComparisonProps, 'state' | 'go'>) {
  const { prune } = state;
  return (
    <p class="prune">
      <label>
        <input
          type="checkbox"
          checked={prune !== undefined}
          onChange={({ currentTarget }) => go({ prune: currentTarget.checked ? 'tenants' : undefined })}
        />
        Prune: remove what is in the table and not in the sections of the manifest
      </label>
      <label>
        <input
          type="checkbox"
          checked={prune === 'shared'}
          onChange={({ currentTarget }) => go({ prune: currentTarget.checked ? 'shared' : 'tenants' })}
        />
        Also what belongs to no tenant: permissions and shared roles
      </label>
    </p>
  );
}

function PlanNote({ plan }: { readonly plan: SavedPlan }) {
  const { about } = useClient();
  return (
    <p>
      A plan of {plan.changes.length.toLocaleString('en')} changes
      {plan.prune || plan.pruneShared ? ', with prune' : ''}, made{' '}
      <time dateTime={plan.madeAt}>{plan.madeAt}</time> for <bdi>{plan.place}</bdi>. It is compared with the
      table of this page: <bdi>{about.place}</bdi>.
    </p>
  );
}

function CurrencyNote({ plan, of: { beyond, done } }: { readonly plan: SavedPlan; readonly of: Currency }) {
  if (beyond.size > 0)
    return (
      <p class="incomplete" role="status">
        <span aria-hidden="true">⚠</span> <strong>The plan is out of date.</strong> Since it was made the
        table has changed: it takes {counted(beyond.size)} that the plan does not have. Plan again.
      </p>
    );
  return (
    <p class="current" role="status">
      <span aria-hidden="true">✓</span> <strong>The plan is current.</strong>
      {done > 0 &&
        ` ${done.toLocaleString('en')} of its ${plan.changes.length.toLocaleString('en')} changes are done already.`}
    </p>
  );
}

const counted = (changes: number): string =>
  changes === 1 ? '1 change' : `${changes.toLocaleString('en')} changes`;

function Counts({ of: { create, change, remove, dangerous, kept, unchanged } }: { readonly of: PlanAnswer }) {
  return (
    <p>
      {create} to create, {change} to change, {remove} to remove; {dangerous} dangerous; {unchanged} unchanged
      {kept > 0 && `; ${kept} in the table and not in the manifest: they stay`}.
    </p>
  );
}
