/** The result of one check. With `fail` the service doesn't work; with `warn` it does. */
export interface CheckFinding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  /** What was found and, unless ok, what to do. */
  readonly text: string;
  /** Where to invite the bot that was found; undefined for all else. */
  readonly invitation?: string;
}

export function ok(subject: string, text: string): CheckFinding {
  return { level: 'ok', subject, text };
}

export function warn(subject: string, text: string): CheckFinding {
  return { level: 'warn', subject, text };
}

export function fail(subject: string, text: string): CheckFinding {
  return { level: 'fail', subject, text };
}
