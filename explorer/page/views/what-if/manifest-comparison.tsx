import { useState } from 'preact/hooks';
import type { PlanAnswer } from '../../../../provisioning/index.ts';
import { useAddress } from '../../address.ts';
import { useCall, useCommand, useLoaded } from '../../calls.ts';
import { useClient } from '../../client.ts';
import { Empty } from '../../parts/empty.tsx';
import { FileField, Warning, Wrong } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { ComparisonProps } from './changes-comparison.tsx';
import { EditedText } from './edited-text.tsx';
import { type OpenedFile, readFile, readOpened } from './opened-file.ts';
import { PlanResult } from './plan-result.tsx';
import { beyondIn, isForPlace, isForTable, SavedPlanNote } from './saved-plan.tsx';

/** Compares a manifest, or a plan in a file, with the table: what applying it would do, and remove. */
export function ManifestComparison({ onOther, ...props }: ComparisonProps) {
  const { manifest: text } = useClient();
  const { value: own } = useLoaded(text, () => readOpened('the manifest of the playground', text as string));
  const [file, setFile] = useState<OpenedFile>();
  const current = file ?? own;
  const take = (next: OpenedFile | undefined) => {
    onOther();
    setFile(next);
  };
  return (
    <>
      <FileField
        class="dropped-on"
        label="A manifest, or a plan that gatehouse plan --out wrote: choose the file, or drop it here"
        onOpen={async (chosen) => take(await readFile(chosen))}
      />
      {!current && (
        <Empty title="No manifest yet">
          Choose a manifest, or a plan that <code>npx gatehouse-authz plan … --out FILE</code> wrote: this
          shows what applying it would do.
        </Empty>
      )}
      {current && (
        <p>
          Compared with the table:{' '}
          <strong>
            <bdi>{current.name}</bdi>
          </strong>{' '}
          {file && own && (
            <button type="button" onClick={() => take(undefined)}>
              Compare the manifest of the playground instead
            </button>
          )}
        </p>
      )}
      {current && 'problem' in current.opened && <Wrong text={current.opened.problem} role="alert" />}
      {current && 'manifest' in current.opened && (
        <>
          <EditedText
            key={current.text}
            class="as-text"
            summary="Change its text, to compare that"
            label="A copy of the manifest"
            rows={12}
            text={current.text}
            button="Compare this text"
            onCompare={async (text) => take(await readOpened('the changed copy', text))}
          />
          <OfManifest {...props} manifest={current.opened.manifest} />
        </>
      )}
      {current && 'plan' in current.opened && <OfPlan {...props} data={current.opened.plan} />}
    </>
  );
}

type Data = Readonly<Record<string, unknown>>;
type OfProps = Omit<ComparisonProps, 'onOther'>;

function OfManifest({ manifest, onMade }: OfProps & { readonly manifest: Data }) {
  const { state } = useAddress();
  const input = { manifest, ...pruningOf(state.prune) };
  const { value: answer, error, isLoading, retry } = useCommand<PlanAnswer>('tenant.plan', input);
  const isForHere = isForTable(manifest.table, useClient());
  // What has no id needs no agreement.
  const agreed = answer?.changes.flatMap(({ id }) => id ?? []);
  return (
    <>
      <PruneFields />
      {!isForHere && (
        <Warning>
          <strong>
            It is for the table <bdi>{String(manifest.table)}</bdi>,
          </strong>{' '}
          and cannot be applied here.
        </Warning>
      )}
      {error && <Problem of={error} retry={retry} />}
      <PlanResult
        answer={answer}
        isLoading={isLoading}
        refresh={retry}
        command={isForHere ? { command: 'tenant.apply', input: { ...input, agreed } } : undefined}
        onMade={onMade}
      />
    </>
  );
}

function OfPlan({ data, onMade }: OfProps & { readonly data: Data }) {
  const { value, error, isLoading, retry } = useCall('savedPlan', { data: { ...data } });
  const { manifest, prune, pruneShared, changes } = data;
  const client = useClient();
  const input = { manifest, prune, pruneShared, agreed: changes, exact: true };
  const mayApply = value && beyondIn(value) === 0 && isForPlace(value.saved.place, client);
  return (
    <>
      {error && <Problem of={error} retry={retry} />}
      {value && !isLoading && <SavedPlanNote of={value} />}
      <PlanResult
        answer={value?.plan}
        isLoading={isLoading}
        refresh={retry}
        command={mayApply ? { command: 'tenant.apply', input } : undefined}
        onMade={onMade}
      />
    </>
  );
}

/** What is removed, by the state of the address. */
const pruningOf = (prune: string | undefined) => ({
  ...(prune !== undefined && { prune: true }),
  ...(prune === 'shared' && { pruneShared: true }),
});

function PruneFields() {
  const { state, go } = useAddress();
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
