import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../../address.ts';
import { useClient } from '../../client.ts';
import { SubViews } from '../../parts/sub-views.tsx';
import { ChangesComparison } from './changes-comparison.tsx';
import { type Made, Outcome } from './make.tsx';
import { ManifestComparison } from './manifest-comparison.tsx';

const COMPARED = { changes: 'Changes', manifest: 'A manifest or a plan' } as const;

/** Who would gain and who would lose access by something, before it is done. */
export function WhatIfView() {
  const { state } = useAddress();
  const current = state.compare === 'manifest' ? 'manifest' : 'changes';
  const [made, setMade] = useState<Made>();
  const { manifest } = useClient();
  const { change, prune } = state;
  // What was made is of what was compared then; and an edit of the manifest makes the table anew.
  useEffect(() => setMade(undefined), [manifest, current, prune]);
  // A change that was made leaves the address.
  useEffect(() => {
    if (change !== undefined) setMade(undefined);
  }, [change]);
  const Comparison = current === 'manifest' ? ManifestComparison : ChangesComparison;
  return (
    <>
      <SubViews
        label="What is compared with the table"
        titles={COMPARED}
        current={current}
        askOf={(name) => ({ compare: name === 'changes' ? undefined : name })}
      />
      {made && <Outcome of={made} />}
      <Comparison onMade={setMade} onOther={() => setMade(undefined)} />
    </>
  );
}
