import {
  CONDITION_OUTCOMES,
  type ConditionShown,
  type Derivation,
  type Explanation,
} from '../../../../engine/index.ts';
import { Sentence } from '../../parts/sentence.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';

const ICONS = { holds: '✓', does_not_hold: '✕', not_evaluated: '?' } as const;

const VALUE_COLUMNS: readonly TableColumn<ConditionShown['values'][number]>[] = [
  { title: 'Looks at', isHeading: true, show: ({ name }) => <code>{name}</code> },
  {
    title: 'Value',
    show: ({ value }) => (
      <bdi>
        <code>{value}</code>
      </bdi>
    ),
  },
  { title: 'From', show: ({ isGiven }) => (isGiven ? 'the question' : 'the table') },
];

/** The conditions that were evaluated, each once, with the values that they looked at. */
export function Conditions({ allowedBy, deniedBy, notCounting }: Explanation) {
  const found = new Map<string, { readonly of: Derivation; readonly condition: ConditionShown }>();
  for (const of of [...allowedBy.items, ...deniedBy.items, ...notCounting.items])
    if (of.condition)
      found.set(JSON.stringify([of.effect, of.roles.at(-1)?.ref, of.by, of.condition.when]), {
        of,
        condition: of.condition,
      });
  if (found.size === 0) return null;
  return (
    <section>
      <h2>Conditions</h2>
      {[...found].map(([key, { of, condition }]) => (
        <Condition key={key} of={of} condition={condition} />
      ))}
    </section>
  );
}

function Condition({ of, condition }: { readonly of: Derivation; readonly condition: ConditionShown }) {
  const { when, outcome, message, fails, values } = condition;
  const isWhole = fails.length === 1 && fails[0] === when;
  return (
    <div class={`why-condition ${outcome}`}>
      <p>
        <strong>{of.effect}</strong> <code>{of.by?.name}</code> of role{' '}
        <bdi class="name">{of.roles.at(-1)?.name}</bdi>, if
      </p>
      <pre>
        <code>{when}</code>
      </pre>
      <p class="outcome">
        <span aria-hidden="true">{ICONS[outcome]}</span> {CONDITION_OUTCOMES[outcome]}
        {message !== null && (
          <>
            : <Sentence of={message} />
          </>
        )}
      </p>
      {fails.length > 0 && !isWhole && (
        <>
          <p>Parts that fail:</p>
          <ul>
            {fails.map((part) => (
              <li key={part}>
                <code>{part}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {values.length > 0 && <Table rows={values} columns={VALUE_COLUMNS} keyOf={({ name }) => name} />}
      {values.some(({ value, isGiven }) => isGiven && value === 'missing') && (
        <p class="help">What is missing in the question can be given above.</p>
      )}
    </div>
  );
}
