/** The two names that the DynamoDB client imports. No command of it asks for discovery (SDK 3.1162). */
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

const unset = (): undefined => undefined;

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: unset,
  configFileSelector: unset,
  default: false,
};
