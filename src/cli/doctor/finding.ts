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

const MIB = 1024 * 1024;

/** Bytes for people: `1.5 GiB`, `12 MiB`. */
export function size(bytes: number): string {
  if (bytes >= 1024 * MIB) return `${(bytes / (1024 * MIB)).toFixed(1)} GiB`;
  if (bytes >= MIB) return `${Math.round(bytes / MIB)} MiB`;
  return `${Math.ceil(bytes / 1024)} KiB`;
}
