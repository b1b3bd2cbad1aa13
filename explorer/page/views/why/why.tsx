import type { ViewProps } from '../../address.ts';
import { useCall } from '../../client.ts';
import { DecisionBadge, reasonText } from '../../parts/decision.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Problem } from '../../parts/problem.tsx';

/** Why somebody may do something somewhere, or not. */
export function WhyView({ state, go }: ViewProps) {
  const { subject, permission, scope } = state;
  const question = subject && permission && scope ? { subject, permission, scope } : undefined;
  const { value, error, retry } = useCall('explain', question);
  return (
    <>
      <div class="question">
        <Picker kind="subject" label="Who" value={subject} onChoose={(ref) => go({ subject: ref })} />
        <Picker
          kind="permission"
          label="What"
          value={permission}
          onChoose={(ref) => go({ permission: ref })}
        />
        <Picker kind="scope" label="Where" value={scope} onChoose={(ref) => go({ scope: ref })} />
      </div>
      <div aria-live="polite">
        {error && <Problem of={error} retry={retry} />}
        {!question && <Empty title="Nothing is asked yet">Choose who, what and where.</Empty>}
        {value && (
          <p>
            <DecisionBadge allowed={value.allowed} /> {reasonText(value.reason)} <code>{value.reason}</code>
          </p>
        )}
      </div>
    </>
  );
}
