import type { ComponentChildren } from 'preact';
import { type Explanation, grantedSentence, type Suggestions } from '../../../../engine/index.ts';
import { type Change, writeChanges } from '../../commands/changes.ts';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { hasFailed } from './path-graph.ts';
import { assigning, joining, remediesOf } from './remedies.ts';

/** What would have helped, each with a link that shows what else it would change. */
export function Remediation({ explanation }: { readonly explanation: Explanation }) {
  const { suggestions } = explanation;
  const remedies = remediesOf(explanation);
  if (!suggestions && remedies.length === 0) return null;
  return (
    <section class="why-remediation">
      <h2>What would have helped</h2>
      {remedies.length > 0 && (
        <ul class="plain">
          {remedies.map(({ of, change }) => (
            <Line key={of.ref} change={change} does={`make it active: ${of.name}`}>
              <Named of={of} />: make it active
            </Line>
          ))}
        </ul>
      )}
      {suggestions && <Suggested of={suggestions} explanation={explanation} />}
    </section>
  );
}

interface LineProps {
  readonly children: ComponentChildren;
  readonly change?: Change | undefined;
  /** What the change does, in words. */
  readonly does: string;
}

function Line({ children, change, does }: LineProps) {
  return (
    <li>
      <span>{children}</span>
      {change && (
        <Link
          class="what-if"
          to="what-if"
          ask={{ change: writeChanges([change]) }}
          label={`What if: ${does}`}
        >
          What if?
        </Link>
      )}
    </li>
  );
}

interface SuggestedProps {
  readonly of: Suggestions;
  readonly explanation: Explanation;
}

function Suggested({ of: { granted, groups, roles, lookedAt }, explanation }: SuggestedProps) {
  const { subject } = explanation;
  const unread = Object.entries(lookedAt).filter(([, { of: all, read }]) => read < all);
  return (
    <div class="columns">
      <Group
        title="Granted already, but not in force here"
        of={granted}
        show={(each) => {
          const [role] = each.roles;
          return (
            <Line
              key={JSON.stringify([each.from, role])}
              does={`assign ${role?.name} here`}
              // A role of another tenant cannot be granted here.
              change={role && each.relation !== 'other_tenant' ? assigning(explanation, role) : undefined}
            >
              <Sentence of={grantedSentence(each)} />
            </Line>
          );
        }}
      >
        {unread.map(([what, { of: all, read }]) => (
          <li key={what}>
            looked at {read} of {all} {what} elsewhere
          </li>
        ))}
      </Group>
      <Group
        title="Groups here or above that the subject is not in"
        of={groups}
        show={({ group, scope, role }) => (
          <Line key={group.ref} change={joining(subject, group)} does={`join ${group.name}`}>
            <Named of={group} /> at <Named of={scope} /> carries role <Named of={role} />
          </Line>
        )}
      />
      <Group
        title="Roles that can be granted here"
        of={roles}
        show={({ role, by }) => (
          <Line
            key={role.ref}
            change={hasFailed(role, explanation) ? undefined : assigning(explanation, role)}
            does={`assign ${role.name} here`}
          >
            <Named of={role} /> allows <code>{by}</code>
            {hasFailed(role, explanation) && '; it is in force here, but its condition does not hold'}
          </Line>
        )}
      />
    </div>
  );
}

interface GroupProps<T> {
  readonly title: string;
  readonly of: { readonly items: readonly T[]; readonly more: number };
  readonly show: (one: T) => ComponentChildren;
  readonly children?: ComponentChildren;
}

const Group = <T,>({ title, of: { items, more }, show, children }: GroupProps<T>) => (
  <div>
    <h3>{title}</h3>
    {items.length === 0 && <p class="none">none</p>}
    <ul class="plain">
      {items.map(show)}
      {children}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  </div>
);
