import { type CheckFinding, fail, ok, warn } from '#base';
import type { RunningSource } from '#cli/sources/ask-service';

/** What the running service says about reading a source. */
export function readingFinding(subject: string, source: RunningSource): CheckFinding {
  const { state, words } = source;
  const why = words ?? 'it says no reason; see its log.';
  switch (state) {
    case 'stopped':
      return fail(subject, `the running service has stopped reading it: ${why}`);
    case 'waiting':
      return warn(subject, `the running service can't read it now: ${why}`);
    case 'standby':
      return ok(subject, 'another replica than the one on this machine reads it');
    default:
      return words === undefined
        ? ok(subject, 'the running service reads it')
        : warn(subject, `the running service reads it. ${words}`);
  }
}
