import { useEffect, useId, useState } from 'preact/hooks';
import type { NamedRef } from '../../service/index.ts';
import { type Client, useClient } from '../client.ts';

/** What can be chosen. */
export type Kind = 'subject' | 'scope' | 'group' | 'role' | 'permission';

export interface PickerProps {
  readonly kind: Kind;
  readonly label: string;
  /** The reference that is chosen; of a permission its name. */
  readonly value: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

/** Lists whose first page is suggested. */
const LISTS: Readonly<Record<Kind, readonly string[]>> = {
  subject: ['user', 'technical-user'],
  scope: ['tenant', 'client', 'location', 'project', 'building', 'account', 'enterprise'],
  group: ['group'],
  role: ['role'],
  permission: ['page', 'permission'],
};

/** Suggestions in one list. */
const MOST = 100;

/** A field for a name, a path of names, an email or a reference, with suggestions; what is typed is looked up in the table. */
export function Picker({ kind, label, value, onChoose }: PickerProps) {
  const client = useClient();
  const id = useId();
  const suggestions = useSuggestions(client, kind);
  const shown = useNameOf(client, kind, value, suggestions);
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const choose = async (text: string): Promise<void> => {
    const wanted = text.trim();
    if (wanted === '') {
      setTyped(undefined);
      setProblem(undefined);
      onChoose(undefined);
      return;
    }
    const found = await find(client, kind, wanted, suggestions);
    if ('problem' in found) return setProblem(found.problem);
    setProblem(undefined);
    setTyped(undefined);
    onChoose(found.ref);
  };

  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        list={`${id}-list`}
        value={typed ?? shown ?? ''}
        title={value}
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          // A suggestion that was clicked comes as one input, in full.
          if (suggestions.some(({ name }) => name === currentTarget.value)) choose(currentTarget.value);
        }}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') choose(currentTarget.value);
        }}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map(({ ref, name }) => (
          <option key={ref} value={name}>
            {ref === name ? undefined : ref}
          </option>
        ))}
      </datalist>
      {problem !== undefined && (
        <p class="wrong" id={`${id}-problem`}>
          <bdi>{problem}</bdi>
        </p>
      )}
    </div>
  );
}

type Item = Readonly<Record<string, unknown>>;

const LABELS = ['displayName', 'name', 'email', 'username', 'id'];

const namedOf = (type: string, item: Item): NamedRef => {
  const name = String(LABELS.map((label) => item[label]).find((text) => typeof text === 'string'));
  return { ref: type === 'page' || type === 'permission' ? name : `${type}:${String(item.id)}`, name };
};

async function list({ send }: Client, type: string): Promise<readonly NamedRef[]> {
  const reply = await send('command', { command: `${type}.list`, input: { limit: MOST } });
  if (!reply.ok || !reply.result.ok) return [];
  return (reply.result.result.items as readonly Item[]).map((item) => namedOf(type, item));
}

function useSuggestions(client: Client, kind: Kind): readonly NamedRef[] {
  const [found, setFound] = useState<readonly NamedRef[]>([]);
  useEffect(() => {
    let isCurrent = true;
    Promise.all(LISTS[kind].map((type) => list(client, type))).then((lists) => {
      if (isCurrent) setFound(lists.flat());
    });
    return () => {
      isCurrent = false;
    };
  }, [client.revision, kind]);
  return found;
}

/** The name of what is chosen. */
function useNameOf(
  { send, revision }: Client,
  kind: Kind,
  value: string | undefined,
  suggestions: readonly NamedRef[],
): string | undefined {
  const [found, setFound] = useState<NamedRef>();
  const known = suggestions.find(({ ref }) => ref === value)?.name;
  const isLookedUp = kind !== 'permission' && value !== undefined && known === undefined;
  useEffect(() => {
    if (!isLookedUp) return;
    let isCurrent = true;
    send('names', { refs: [value] }).then((reply) => {
      const name = reply.ok ? reply.result[value] : undefined;
      if (isCurrent && name !== undefined) setFound({ ref: value, name });
    });
    return () => {
      isCurrent = false;
    };
  }, [value, isLookedUp, revision]);
  return known ?? (found?.ref === value ? found?.name : undefined) ?? value;
}

type Candidate = NamedRef & { readonly path?: string; readonly email?: string };

/** What a text means: a suggestion's name, or whatever the table finds by it. */
async function find(
  { send }: Client,
  kind: Kind,
  text: string,
  suggestions: readonly NamedRef[],
): Promise<{ readonly ref: string } | { readonly problem: string }> {
  const suggested = suggestions.filter(({ name, ref }) => name === text || ref === text);
  const [first] = suggested;
  if (first && suggested.length === 1) return first;
  // Whether a permission exists is for the decision to say.
  if (kind === 'permission') return { ref: text };
  const reply = await send('command', { command: 'name.find', input: { name: text, kind } });
  if (!reply.ok) return { problem: reply.error.message };
  if (!reply.result.ok) return { problem: reply.result.error.message };
  const candidates = reply.result.result.candidates as readonly Candidate[];
  const [only] = candidates;
  if (only && candidates.length === 1) return only;
  if (!only) return { problem: `there is no ${kind} ${text}` };
  const several = candidates.map(({ path, name, ref }) => `${path ?? name} (${ref})`).join(', ');
  return { problem: `${text} is the name of several: type one of the references of ${several}` };
}
