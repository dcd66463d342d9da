/**
 * Why a planned change was skipped: the audit log has the code, the catalogue a sentence for it. If
 * a reading is the reason, that reading's reason stands instead.
 */
const SKIPS = [
  /** They already have it, from whomever. */
  'has-already',
  /** Someone else removed it meanwhile. */
  'gone',
  'left',
  /** An owner, administrator or manager. */
  'spared',
  'protected',
  /** A moderator has barred them from it. */
  'barred',
  /** They haven't passed the community's membership screening yet. */
  'pending',
  /** Granted or removed by someone else since the run that's being undone. */
  'changed-since',
  /** Nobody can be added to a group: they have to request to join. */
  'needs-invitation',
  /** Their join request was withdrawn, or answered by someone else. */
  'no-request',
  /** The role that replaces it, or that it replaces, isn't there. */
  'other-missing',
  'rule-paused',
  'rule-removed',
  'rule-changed',
  'stopped',
  /** It was sent without a response, and turned out not to have been made. */
  'not-done',
  /** The platform didn't respond for so long that the run ended without it. */
  'no-answer',
] as const;

export type Skip = (typeof SKIPS)[number];

export function isSkip(detail: string): detail is Skip {
  return (SKIPS as readonly string[]).includes(detail);
}
