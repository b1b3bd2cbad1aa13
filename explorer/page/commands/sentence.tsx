import { Named } from '../parts/named.tsx';
import type { NameOf } from '../refs.ts';
import type { Change } from './changes.ts';
import { sentenceOf } from './sentences.ts';

export interface SentenceProps {
  readonly of: Change;
  readonly nameOf: NameOf;
}

/** A change in a sentence with names; a command that has none as its JSON. */
export function Sentence({ of, nameOf }: SentenceProps) {
  const parts = sentenceOf(of);
  if (!parts)
    return (
      <>
        {of.command} <code>{JSON.stringify(of.input)}</code>
      </>
    );
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? (
          <bdi key={part}>{part}</bdi>
        ) : (
          <strong key={part.ref}>
            <Named of={{ ref: part.ref, name: nameOf(part.ref) ?? part.ref }} />
          </strong>
        ),
      )}
    </>
  );
}
