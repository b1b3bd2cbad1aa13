import type { Environment } from '../authorizer/configuration.ts';
import type { Handle } from '../authorizer/service/http.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import { createLog, writeLine } from '../engine/log.ts';
import { createProvisioningFrom, type Overrides as ProvisioningOverrides } from '../provisioning/compose.ts';
import { type Provisioning, readScimCredential } from '../provisioning/index.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import type { Reader } from '../table/reader.ts';
import { parseScimConfiguration } from './configuration.ts';
import { createHandle } from './http.ts';
import { createScimMetrics } from './metrics.ts';
import type { Port } from './port.ts';

/** Replacements for the real dependencies. */
export interface Overrides extends Pick<ProvisioningOverrides, 'reader' | 'writer' | 'log'> {
  readonly clock?: Clock;
}

/**
 * The SCIM server from environment variables (configuration.ts).
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export function createHandleFrom(env: Environment, overrides: Overrides = {}): Handle {
  const { PUBLIC_URL: publicUrl, METRICS_NAMESPACE: namespace, ...variables } = parseScimConfiguration(env);
  const {
    TABLE_NAME: table,
    DYNAMODB_ENDPOINT: endpoint,
    TABLE_REGION: region,
    LOG_LEVEL: level,
  } = variables;
  const { clock = systemClock, log: write = writeLine } = overrides;
  const {
    // Lambda puts the credentials of the function's role into the environment.
    reader = createReader({
      client: createClient({ credentialsFrom: 'environment', ...defined({ endpoint, region }) }),
      table,
    }),
  } = overrides;
  return createHandle({
    port: createPort(reader, clock, createProvisioningFrom(variables, { ...overrides, clock, log: write })),
    publicUrl,
    clock,
    log: createLog({ service: 'scim', level, write }),
    metrics: namespace === undefined ? undefined : createScimMetrics({ namespace, write, now: clock.now }),
  });
}

/** The port over a table, and the commands on it. */
export function createPort(reader: Pick<Reader, 'getMany'>, clock: Clock, provisioning: Provisioning): Port {
  return {
    connectionOf: async (text) => {
      const shown = await readScimCredential(reader, text, clock.now());
      return (
        shown && {
          id: shown.connection,
          expiresAt: Date.parse(shown.expiresAt),
          lastSyncAt: shown.lastSyncAt === undefined ? undefined : Date.parse(shown.lastSyncAt),
        }
      );
    },
    provisioning,
  };
}
