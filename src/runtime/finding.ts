/** What one look came to. `warn` can be lived with; `fail` keeps the service from working. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  /** What was found and, unless it is ok, what to do. */
  readonly text: string;
}

export function ok(subject: string, text: string): Finding {
  return { level: 'ok', subject, text };
}

export function warn(subject: string, text: string): Finding {
  return { level: 'warn', subject, text };
}

export function fail(subject: string, text: string): Finding {
  return { level: 'fail', subject, text };
}
