/** Entry of provisioning: the policy administration point. */
export type { AccessDifference, AccessRow, AccessSide } from './access-difference/index.ts';
export type { Answer, Failure, Success } from './answer.ts';
export { type Command, mayTakeAway, takesAway } from './command.ts';
export { COMMANDS } from './commands/index.ts';
export { descriptionsOf, namesOf, namesOfSubjects } from './names/labels.ts';
export type { Progress } from './plan.ts';
export {
  createProvisioning,
  type Hooks,
  type Provisioning,
  type ProvisioningOptions,
} from './provisioning.ts';
