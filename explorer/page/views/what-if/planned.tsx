import { type PlannedChange, planSections, stepText } from '../../../../provisioning/index.ts';

/** Rows of a section that are shown before somebody asks for all. */
const FIRST = 40;

const SIGNS = { create: '+', change: '~', remove: '−' } as const;

export interface PlannedProps {
  readonly changes: readonly PlannedChange[];
  /** Whether a saved plan does not have a change. */
  readonly beyond?: ((change: PlannedChange) => boolean) | undefined;
}

/** The changes of a plan, what is dangerous first. */
export function Planned({ changes, beyond }: PlannedProps) {
  return (
    <>
      {planSections(changes).map(([title, of]) => (
        <section key={title} class="planned">
          <h2>
            {title} ({of.length.toLocaleString('en')})
          </h2>
          <Lines changes={of.slice(0, FIRST)} beyond={beyond} />
          {of.length > FIRST && (
            <details>
              <summary>{(of.length - FIRST).toLocaleString('en')} more</summary>
              <Lines changes={of.slice(FIRST)} beyond={beyond} />
            </details>
          )}
        </section>
      ))}
    </>
  );
}

function Lines({ changes, beyond }: PlannedProps) {
  return (
    <ul>
      {changes.map((change) => {
        const { verb, danger, command, input } = change;
        return (
          <li key={`${command} ${JSON.stringify(input)}`}>
            <span class={`verb ${verb}`}>
              <span aria-hidden="true">{SIGNS[verb]}</span> {verb}
            </span>{' '}
            <bdi>{stepText(change)}</bdi>
            {danger !== undefined && (
              <strong class="danger">
                {' '}
                <span aria-hidden="true">⚠</span> <bdi>{danger}</bdi>
              </strong>
            )}
            {beyond?.(change) && <strong class="beyond"> not in the plan</strong>}
          </li>
        );
      })}
    </ul>
  );
}
