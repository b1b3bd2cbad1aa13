import type { Fault } from '../../service/index.ts';

/** What to do about an error that a person can do something about. */
const CURES: Readonly<Record<string, string>> = {
  throttled: 'The table is throttled. Wait a little, then try again.',
  transient: 'There was no answer. Check that the table and its process are there, then try again.',
  contended: 'The table is being changed. Try again.',
  damaged_item: 'An item of the table is damaged: npx gatehouse-authz verify finds it.',
  newer_form: 'An item was written by a newer release: deploy that release here.',
  not_found: 'Check the name, or choose another one.',
};

/** An error, what to do, and a button where trying again may help. */
export function Problem({ of, retry }: { readonly of: Fault; readonly retry?: () => void }) {
  const { code, message, field, retryable } = of;
  const cure = CURES[code];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{field === undefined ? 'This did not work' : `This did not work: ${field}`}</strong>{' '}
        <code>{code}</code>
      </p>
      <p>
        <bdi>{message}</bdi>
      </p>
      {cure !== undefined && <p>{cure}</p>}
      {retryable && retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
