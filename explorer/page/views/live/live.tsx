import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatAddress, patched, type ViewProps } from '../../address.ts';
import { unreachable } from '../../client.ts';
import { Problem } from '../../parts/problem.tsx';
import { SubViews } from '../../parts/sub-views.tsx';
import { Decisions } from './decisions.tsx';

const PARTS = { decisions: 'Decisions', revocation: 'Revocation' } as const;

/** Decisions as they happen, and how long what was revoked may still be allowed. */
export function LiveView({ state, go }: ViewProps) {
  // A link that says when something was revoked is about that.
  const { show = state.since === undefined ? 'decisions' : 'revocation' } = state;
  const shown = show === 'revocation' ? show : 'decisions';
  return (
    <>
      <SubViews
        label="Live"
        titles={PARTS}
        current={shown}
        addressOf={(part) => formatAddress({ view: 'live', state: patched(state, { show: part }) })}
      />
      {shown === 'decisions' ? (
        <Decisions state={state} go={go} />
      ) : (
        <LoadedRevocation state={state} go={go} />
      )}
    </>
  );
}

/** The revocation, whose code comes when it is opened: it computes with provisioning's own, which is large. */
function LoadedRevocation(props: ViewProps) {
  const [Loaded, setLoaded] = useState<FunctionComponent<ViewProps>>();
  const [failed, setFailed] = useState(false);
  const load = () => {
    setFailed(false);
    import('./revocation.tsx').then(
      ({ Revocation }) => setLoaded(() => Revocation),
      () => setFailed(true),
    );
  };
  useEffect(load, []);
  if (failed) return <Problem of={unreachable('a part of this page did not load').error} retry={load} />;
  return Loaded ? <Loaded {...props} /> : <p class="loading">Loading…</p>;
}
