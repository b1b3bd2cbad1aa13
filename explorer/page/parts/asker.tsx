import { Named } from './named.tsx';

interface AskerProps {
  readonly subject: string;
  readonly actor?: { readonly subject: string; readonly mandate?: string | undefined } | undefined;
}

/** A subject by reference; who nobody knows has none. */
export const Somebody = ({ of }: { readonly of: string }) =>
  of === '' ? <em>nobody known</em> : <Named of={of} />;

/** Who asks: the subject, with who acts for it and by which mandate. */
export const Asker = ({ subject, actor }: AskerProps) => (
  <>
    {actor && (
      <>
        <Somebody of={actor.subject} />
        {actor.mandate && ` (${actor.mandate})`} for{' '}
      </>
    )}
    <Somebody of={subject} />
  </>
);
