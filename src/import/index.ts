/** Checks lines of an import and writes them to the ledger. */

export { activityId, eventId, type Sha256Hex } from './activity-id.ts';
export {
  correctionText,
  correctsNothing,
  differs,
  differsFromEarlier,
  eventDiffers,
  eventDiffersFromEarlier,
  isSameContent,
  tooManyActivities,
} from './differences.ts';
export { type ImportResult, type InputLine, importLines, type LineSpool } from './importer.ts';
export {
  createCheckingWriter,
  type EventCommit,
  type LedgerBatch,
  type LedgerCommit,
  type LedgerRefusal,
  type LedgerWriter,
} from './ledger-writer.ts';
export {
  ACTIVITIES_MAX,
  ACTIVITY_DESCRIPTION_MAX,
  IMAGE_URL_MAX,
  LINE_MAX_BYTES,
  NAME_MAX,
} from './limits.ts';
export { type LineRefusal, type RefusalCode, refusal } from './refusal.ts';
export { Retractions, retractedInput } from './retraction.ts';
