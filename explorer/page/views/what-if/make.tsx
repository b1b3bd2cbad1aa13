import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AccessDifference } from '../../../../provisioning/index.ts';
import type { Fault } from '../../../service/index.ts';
import { useAddress } from '../../address.ts';
import { useClient } from '../../client.ts';
import type { Change } from '../../commands/changes.ts';
import { isObject } from '../../json.ts';
import { type Item, run } from '../../load-page.ts';
import { Copy } from '../../parts/copy.tsx';
import { Warning } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Difference, Summary } from './difference.tsx';

/** What became of a change that was made. */
export interface Made {
  /** Whom caches may still let in; undefined where nobody loses access. */
  readonly revoked: string | undefined;
  /** ISO 8601: not before the change was in the table. */
  readonly since: string;
  /** With it, a check sees the change. */
  readonly token: string | undefined;
  /** What the command answered. */
  readonly answer: Item;
}

export interface MakeProps {
  /** What is sent. */
  readonly command: Change;
  readonly difference: AccessDifference;
  /** It is being compared: the difference is the one before. */
  readonly isLoading: boolean;
  /** Compares it anew. */
  readonly refresh: () => void;
  /** Whom to follow in caches if somebody loses access. */
  readonly revoked: string | undefined;
  readonly onMade: (made: Made) => void;
  /** The changes, for people. */
  readonly children: ComponentChildren;
}

/** A button that makes a change, after a dialog that says who loses what by now. Where nothing may be written, it says so. */
export function Make(props: MakeProps) {
  const { about } = useClient();
  const { state } = useAddress();
  const [isOpen, setOpen] = useState(false);
  // A dialog is of what was compared when it was opened.
  useEffect(() => setOpen(false), [JSON.stringify(state)]);
  const open = () => {
    props.refresh();
    setOpen(true);
  };
  if (!about.canWrite)
    return <p class="note">This explorer is read-only: start it with --write to make changes here.</p>;
  return (
    <p>
      <button type="button" aria-haspopup="dialog" onClick={open}>
        Make this change…
      </button>
      {isOpen && <Confirmation {...props} onClose={() => setOpen(false)} />}
    </p>
  );
}

interface ConfirmationProps extends MakeProps {
  readonly onClose: () => void;
}

function Confirmation(props: ConfirmationProps) {
  const { command, difference, isLoading, revoked, onMade, onClose, children } = props;
  const { send, changed, manifest } = useClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Fault>();
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // The first thing to be pressed does no harm.
    cancel.current?.focus();
  }, []);

  const make = async () => {
    setSending(true);
    setError(undefined);
    const reply = await run(send, command);
    setSending(false);
    if (!reply.ok) return setError(reply.error);
    dialog.current?.close();
    const { people, more } = difference.loses;
    const mayLose = people > 0 || more || difference.incomplete !== undefined;
    const since = new Date().toISOString();
    onMade({ revoked: mayLose ? revoked : undefined, since, token: reply.token, answer: reply.result });
    changed();
  };

  return (
    <dialog
      ref={dialog}
      class="make scrolls"
      aria-labelledby="make-title"
      onCancel={(event) => isSending && event.preventDefault()}
      onClose={() => {
        onClose();
        // What failed may be done in part.
        if (error) changed();
      }}
    >
      <h2 id="make-title">Make this change?</h2>
      {children}
      {isLoading ? (
        <p class="loading">Comparing…</p>
      ) : (
        <>
          <Summary of={difference} />
          <Difference of={difference} />
        </>
      )}
      {manifest !== undefined && (
        <p class="note">
          It changes the table in this page only, and lasts until the next edit of the manifest.
        </p>
      )}
      {error && <Problem of={error} />}
      <p class="actions">
        <button type="button" ref={cancel} disabled={isSending} onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isSending || isLoading} onClick={make}>
          {isSending ? 'Making it…' : 'Make this change'}
        </button>
      </p>
    </dialog>
  );
}

/** What an answer says but once, and those of the parts of a transaction and of what was approved. */
function saidIn(answer: Item, name: 'token' | 'warning'): readonly string[] {
  const { [name]: said, result, results } = answer;
  const parts = [result, results].flat().filter(isObject);
  return [...(typeof said === 'string' ? [said] : []), ...parts.flatMap((part) => saidIn(part, name))];
}

/** Says that a change was made, what its answer says but once, and where to see how long caches may still answer from before it. */
export function Outcome({ of }: { readonly of: Made }) {
  const { manifest } = useClient();
  const part = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone.
  useLayoutEffect(() => part.current?.focus(), [of]);
  const { revoked, since, token, answer } = of;
  return (
    <div class="made" ref={part} tabIndex={-1}>
      <p>
        <span aria-hidden="true">✓</span> <strong>The change was made.</strong>
        {manifest !== undefined &&
          ' It is in the table in this page only, until the next edit of the manifest.'}
      </p>
      {saidIn(answer, 'warning').map((warning) => (
        <Warning key={warning}>
          <bdi>{warning}</bdi>
        </Warning>
      ))}
      {saidIn(answer, 'token').map((text) => (
        <p key={text}>
          Token, which is shown only now: <code>{text}</code>{' '}
          <Copy title="Copy the token" done="copied" text={text} />
        </p>
      ))}
      {token !== undefined && (
        <p>
          Freshness token: <code>{token}</code>. A check that is at least as fresh as this sees the change.
        </p>
      )}
      {revoked !== undefined && (
        <p>
          <Link to="live" ask={{ revoked, since }}>
            See until when caches may still allow it
          </Link>
        </p>
      )}
    </div>
  );
}
