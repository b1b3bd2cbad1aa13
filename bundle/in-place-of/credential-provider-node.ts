/** The environment is the only place where credentials are looked for: Lambda puts its role's there. */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
