import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLoaded } from '../calls.ts';
import { type Send, useClient } from '../client.ts';
import { firstPage, type Item, namedIn } from '../load-page.ts';
import { useNames } from '../names.tsx';
import { ROOT_TYPES, SCOPE_TYPE_NAMES, SUBJECT_TYPES } from '../registry.ts';
import { TYPED, Wrong } from './field.tsx';
import { type Candidate, lookUp, type Meaning, type NamedKind, severalOf } from './look-up.ts';
import { type Settling, useUnsettled } from './unsettled.ts';

/** What can be chosen. */
export type Kind = NamedKind | 'permission';

export interface PickerProps extends Settling {
  readonly kind: Kind;
  readonly label: string;
  /** The reference that is chosen; of a permission its name. */
  readonly value: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

/** Lists whose first page is suggested, where that is not the one of its kind; `scope` and `subject` are those of types that were added. */
const LISTS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  subject: [...SUBJECT_TYPES, 'subject'],
  scope: [...new Set([...ROOT_TYPES, 'scope', ...SCOPE_TYPE_NAMES])],
  permission: ['page', 'permission'],
};

/** Suggestions of one list. */
const MOST = 100;

type Unclear = Exclude<Meaning, { readonly ref: string }>;

/** A field for a name, a path of names, an email or a reference, with suggestions; the table says what is meant. */
export function Picker({ kind, label, value, onChoose, onUnsettled }: PickerProps) {
  const { send } = useClient();
  const id = useId();
  // Nothing is read but for a field in which somebody is.
  const [isFocused, setFocused] = useState(false);
  const suggested = useLoaded(isFocused ? kind : undefined, () => suggestionsOf(send, kind));
  const options = suggested.value ? optionsOf(suggested.value) : [];
  /** What a suggestion stands for; where there are more than these, the table says it. */
  const refOf = (text: string) =>
    suggested.value?.isWhole ? options.find(({ value }) => value === text)?.ref : undefined;
  const nameOf = useNames();
  const shown = value && kind !== 'permission' ? (nameOf(value) ?? value) : value;
  // What is typed and not yet chosen.
  const [typed, setTyped] = useState<string>();
  const [unclear, setUnclear] = useState<Unclear>();
  // The last look-up counts, and only while nothing was typed or chosen since.
  const asked = useRef<string | undefined>(undefined);

  const forget = () => {
    asked.current = undefined;
    setTyped(undefined);
    setUnclear(undefined);
  };
  useEffect(forget, [value, kind]);
  // No change comes where somebody types the name that was there.
  useUnsettled(typed !== undefined && typed.trim() !== (shown ?? ''), onUnsettled);

  const take = (chosen: string | undefined) => {
    forget();
    if (chosen !== value) onChoose(chosen);
  };

  const choose = async (text: string): Promise<void> => {
    const wanted = text.trim();
    if (wanted === (shown ?? '')) return forget();
    // Enter, leaving the field and a suggestion may each commit the same text.
    if (wanted === asked.current) return;
    if (wanted === '') return take(undefined);
    asked.current = wanted;
    // Whether a permission exists is for the decision to say.
    const meaning = kind === 'permission' ? { ref: wanted } : await meaningOf(kind, wanted);
    if (asked.current !== wanted) return;
    if ('ref' in meaning) return take(meaning.ref);
    // The same text may be asked again: a read may have failed.
    asked.current = undefined;
    setUnclear(meaning);
  };

  /** What the table finds; otherwise whoever is called so among the suggestions: people are shown by names that may not be unique. */
  const meaningOf = async (named: NamedKind, text: string): Promise<Meaning> => {
    const meaning = await lookUp(send, named, text);
    if ('ref' in meaning || meaning.candidates.length > 0) return meaning;
    const { items, isWhole } = suggested.value ?? (await suggestionsOf(send, named));
    const called = items.filter(({ name }) => name === text);
    const [only] = called;
    if (!only) return meaning;
    return called.length === 1 && isWhole ? only : severalOf(text, called, !isWhole);
  };

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...TYPED}
        type="search"
        list={`${id}-list`}
        value={typed ?? shown ?? ''}
        title={value}
        aria-invalid={unclear !== undefined}
        aria-describedby={`${id}-problem`}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onInput={(event) => {
          const text = event.currentTarget.value;
          asked.current = undefined;
          setTyped(text);
          if (isAtOnce(event)) choose(refOf(text) ?? text);
        }}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') choose(event.currentTarget.value);
          if (event.key !== 'Escape' || typed === undefined) return;
          event.preventDefault();
          forget();
        }}
      />
      <datalist id={`${id}-list`}>
        {options.map(({ ref, name, value }) => (
          <option key={ref} value={value}>
            {[name, ref].find((text) => text !== value)}
          </option>
        ))}
      </datalist>
      <div id={`${id}-problem`} aria-live="polite">
        {unclear && <Problem of={unclear} choose={choose} take={take} />}
        {unclear && value !== undefined && !onUnsettled && (
          <p class="help">
            Until then, this page shows <bdi>{shown}</bdi>.
          </p>
        )}
      </div>
    </div>
  );
}

interface ProblemProps {
  readonly of: Unclear;
  readonly choose: (text: string) => void;
  readonly take: (ref: string) => void;
}

/** Why a text says too little, and what may be meant, each to be chosen by a button. */
function Problem({ of: { problem, candidates, meant }, choose, take }: ProblemProps) {
  return (
    <>
      <Wrong text={problem} />
      {meant !== undefined && (
        <button type="button" onClick={() => choose(meant)}>
          Take <bdi>{meant}</bdi>
        </button>
      )}
      {candidates.length > 0 && (
        <ul class="plain candidates scrolls">
          {candidates.map(({ ref, name, path, email }) => (
            <li key={ref}>
              <button type="button" onClick={() => take(ref)}>
                <bdi>{path ?? name}</bdi> <code>{email ?? ref}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Whether an input came in full, not letter by letter: a suggestion that was clicked, or the field's button to clear it. */
const isAtOnce = (event: Event): boolean =>
  !(event instanceof InputEvent) || event.inputType === 'insertReplacementText' || event.inputType === '';

const suggestedIn = (list: string, item: Item): Candidate => {
  const { ref, name } = namedIn(list, item);
  if (list === 'page' || list === 'permission') return { ref: name, name };
  return typeof item.email === 'string' ? { ref, name, email: item.email } : { ref, name };
};

interface Suggested {
  readonly items: readonly Candidate[];
  /** Whether these are all that there are. */
  readonly isWhole: boolean;
}

/** A suggestion stands for one entity: by its name where no other has it, by its email or reference otherwise. */
function optionsOf({ items, isWhole }: Suggested) {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1);
  return items.map(({ ref, name, email = ref }) => {
    const isNamed = counts.get(name) === 1 && (isWhole || email === ref);
    return { ref, name, value: isNamed ? name : email };
  });
}

/** The first page of each list of a kind; nothing of one that cannot be read. */
async function suggestionsOf(send: Send, kind: Kind): Promise<Suggested> {
  const pages = await Promise.all(
    (LISTS[kind] ?? [kind]).map(async (list) => {
      const reply = await firstPage(send, `${list}.list`, { limit: MOST });
      if (!reply.ok) return { items: [], isWhole: false };
      const { items, cursor } = reply.result;
      return { items: items.map((item) => suggestedIn(list, item)), isWhole: cursor === undefined };
    }),
  );
  return { items: pages.flatMap(({ items }) => items), isWhole: pages.every(({ isWhole }) => isWhole) };
}
