import * as z from 'zod';
import type { LiveEvent } from '../../../explorer/service/index.ts';
import type { LocalTable } from '../../table.ts';
import type { EventRing } from './event-ring.ts';

/** Uses of mandates, which provisioning decides and counts, among the live decisions of the local stack. */

const use = z.object({
  command: z.literal('mandate.use'),
  dryRun: z.literal(false).optional(),
  input: z.object({
    mandate: z.string(),
    subject: z.string(),
    actor: z.string(),
    permission: z.string(),
    scope: z.string(),
  }),
});

const receipt = z.object({ allowed: z.boolean(), reason: z.string().optional() });

type Provisioning = LocalTable['provisioning'];

/** The same provisioning; each use that it answers is an event. */
export const showingUses =
  (provisioning: Provisioning, events: EventRing<LiveEvent>, now: () => number): Provisioning =>
  async (event, hooks) => {
    const begunAt = now();
    const answer = await provisioning(event, hooks);
    const { data } = use.safeParse(event);
    const became = answer.ok ? receipt.safeParse(answer.result).data : { allowed: false };
    if (!data || !became) return answer;
    const { mandate, actor, ...asked } = data.input;
    const { allowed, reason = 'counted' } = became;
    const at = now();
    events.add({
      ...asked,
      kind: 'decision',
      at,
      source: 'provisioning',
      actor: { subject: actor, mandate: `mandate:${mandate}` },
      allowed,
      ...(answer.ok ? { reason } : { fault: answer.error.code }),
      consistency: 'strong',
      milliseconds: at - begunAt,
      isFirst: false,
      isStale: false,
    });
    return answer;
  };
