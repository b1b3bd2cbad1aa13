import { useId, useRef } from 'preact/hooks';
import type { PolicyShown } from '../../../service/index.ts';
import { Copy } from '../../parts/copy.tsx';
import { counted } from '../../parts/counted.ts';
import { exampleOfResource, type Request } from './examples.ts';
import { useScrollToCurrent } from './scroll.ts';

interface PolicyDocumentProps {
  readonly of: PolicyShown;
  /** The resource that the tried request matched. */
  readonly matched: string | undefined;
  readonly onTry: (request: Request) => void;
}

/** The policy as lists of resources and as JSON; or why there is none. */
export function PolicyDocument({ of: { base, answer, without }, matched, onTry }: PolicyDocumentProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useScrollToCurrent(list, matched);
  if (!answer)
    return (
      <section aria-labelledby={id}>
        <h2 id={id}>No policy for the whole API</h2>
        <p>{without?.message}</p>
        <p>The authorizer answers each request for its route alone.</p>
      </section>
    );
  const json = JSON.stringify(answer.policyDocument, null, 2);
  const bytes = new TextEncoder().encode(JSON.stringify(answer.policyDocument)).length;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Policy</h2>
      <p class="help">
        {bytes} bytes. Each resource begins with <code>{base}</code>
      </p>
      <div class="policy-list scrolls" ref={list}>
        {answer.policyDocument.Statement.map(({ Effect, Resource }) => {
          const resources = typeof Resource === 'string' ? [Resource] : Resource;
          return (
            <div key={Effect} class={`policy-statement ${Effect.toLowerCase()}`}>
              <h3>
                <span aria-hidden="true">{Effect === 'Allow' ? '✓' : '✕'}</span> {Effect}:{' '}
                {counted(resources.length, 'resource')}
              </h3>
              <ul class="plain">
                {resources.map((resource) => (
                  <li key={resource} aria-current={resource === matched ? 'true' : undefined}>
                    <button
                      type="button"
                      class="policy-try"
                      title={resource}
                      onClick={() => onTry(exampleOfResource(resource, base))}
                    >
                      <span class="visually-hidden">Try </span>
                      <bdi>{resource.startsWith(base) ? resource.slice(base.length) : resource}</bdi>
                    </button>
                    {resource === matched && <span class="policy-mark">◀ matched</span>}
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      <details>
        <summary>As JSON</summary>
        <p>
          <Copy key={json} title="Copy" done="copied" text={json} />
        </p>
        <pre class="policy-json">{json}</pre>
      </details>
    </section>
  );
}
