/**
 * Why a planned change was left alone; the audit has the code, the catalogue a sentence for it. Where a
 * reading is why, it has that reading's reason instead.
 */
const SKIPS = [
  /** They have it, from whomever. */
  'has-already',
  /** Somebody else took it meanwhile. */
  'gone',
  'left',
  /** Owner, administrator or else in charge. */
  'spared',
  'protected',
  /** Given or taken by somebody else since the run that is being undone. */
  'changed-since',
  /** Nobody can be put into a group: they have to ask to join. */
  'needs-invitation',
  /** They don't ask to join any more, or somebody else has answered. */
  'no-request',
  'rule-paused',
  'rule-removed',
  'rule-changed',
  'stopped',
  /** It was asked for, no answer came, and it turned out not to have been done. */
  'not-done',
  /** The platform did not answer for so long that the run ended without it. */
  'no-answer',
] as const;

export type Skip = (typeof SKIPS)[number];

export function isSkip(detail: string): detail is Skip {
  return (SKIPS as readonly string[]).includes(detail);
}
