import { Named } from '../parts/named.tsx';
import type { Change } from './changes.ts';
import { sentenceOf } from './sentences.ts';

export interface SentenceProps {
  readonly of: Change;
}

/** A change in a sentence with names; a command that has none as its JSON. */
export function Sentence({ of }: SentenceProps) {
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
            <Named of={part.ref} />
          </strong>
        ),
      )}
    </>
  );
}
