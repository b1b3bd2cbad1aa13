/** Entry of provisioning: the policy administration point. */
export {
  type AccessDifference,
  type AccessRow,
  type AccessSide,
  accessDifferenceBy,
  type Change,
  changesOf,
  peopleText,
} from './access-difference/index.ts';
export { COMMANDS } from './all-commands.ts';
export type { Answer, Failure, Success } from './answer.ts';
export type { PlanAnswer, PlannedChange } from './apply/commands.ts';
export { assertNoneErased } from './apply/erased.ts';
export { pathOf } from './apply/problem.ts';
export { type Queries, queriesBy } from './apply/queries.ts';
export { changesBeyond, idsOf, readSavedPlan, type SavedPlan, savedPlan } from './apply/saved-plan.ts';
export { type Command, mayTakeAway, takesAway } from './command.ts';
export { endsOfMembership } from './commands/memberships.ts';
export { describeCommand, type Field, fieldsOf } from './documents/commands.ts';
export { asField, descriptionOf, namedBy } from './documents/named-fields.ts';
export { type Against, type AgainstRow, type AgainstSide, againstLog } from './evidence/against.ts';
export { gapLines, said, unknownLines } from './evidence/against-lines.ts';
export { type AskThen, askThen, type Question, type Then } from './evidence/instant.ts';
export { createCoverage, type LogCoverage } from './evidence/log-coverage.ts';
export { type DecisionRecord, readLogLine } from './evidence/log-lines.ts';
export { type Counted, createLoggedQuestions, type LoggedQuestions } from './evidence/logged-questions.ts';
export { compareLogged, type LoggedThen, RESTS_ON } from './evidence/logged-then.ts';
export { type Exported, type ExportOptions, exportManifest } from './export/export.ts';
export { partsOf } from './export/parts.ts';
export { createIds } from './ids.ts';
export { brokenLines } from './invariants/new-violations.ts';
export { inPlainWords } from './issues.ts';
export { isOpen } from './kinds/entries.ts';
export {
  createMandates,
  type MandateReceipt,
  type Mandates,
  type MandatesOptions,
  type MandateUse,
} from './mandates.ts';
export { cellsByPlace, EFFECT_SIGNS, signsOf } from './matrix/cells.ts';
export { type Matrix, readMatrix } from './matrix/matrix.ts';
export { commandsOn } from './names/commands-on.ts';
export type { Found } from './names/find.ts';
export { descriptionsOf, nameIn, namesOf, namesOfSubjects } from './names/labels.ts';
export { readScimCredential, type ShownCredential } from './nodes/scim-credential.ts';
export type { Progress } from './plan.ts';
export {
  createProvisioning,
  type Hooks,
  type Provisioning,
  type ProvisioningOptions,
} from './provisioning.ts';
export {
  REVOCATION_DEFAULTS,
  type RevocationBound,
  type RevocationTimes,
  revocationBound,
} from './revocation-bound.ts';
export {
  changedFields,
  planSections,
  type SentencePart,
  sentenceOf,
  stepText,
  subjectOf,
} from './sentences.ts';
