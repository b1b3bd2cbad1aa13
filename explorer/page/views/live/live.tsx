import { useAddress } from '../../address.ts';
import { useAnswer } from '../../calls.ts';
import { unreachable } from '../../client.ts';
import { Problem } from '../../parts/problem.tsx';
import { SubViews } from '../../parts/sub-views.tsx';
import { Decisions } from './decisions.tsx';

const PARTS = { decisions: 'Decisions', revocation: 'Revocation' } as const;

/** Decisions as they happen, and how long what was revoked may still be allowed. */
export function LiveView() {
  const { state } = useAddress();
  // A link that says when something was revoked is about that.
  const { show = state.since === undefined ? 'decisions' : 'revocation' } = state;
  const shown = show === 'revocation' ? show : 'decisions';
  return (
    <>
      <SubViews label="Live" titles={PARTS} current={shown} askOf={(part) => ({ show: part })} />
      {shown === 'decisions' ? <Decisions /> : <LoadedRevocation />}
    </>
  );
}

/** The revocation, whose code comes when it is opened: it computes with provisioning's own, which is large. */
function LoadedRevocation() {
  const { value, error, retry } = useAnswer('revocation', () =>
    import('./revocation.tsx').then(
      (result) => ({ ok: true, result }) as const,
      () => unreachable('a part of this page did not load'),
    ),
  );
  if (value) return <value.Revocation />;
  return error ? <Problem of={error} retry={retry} /> : <p class="loading">Loading…</p>;
}
