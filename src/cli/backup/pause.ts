import { wallSeconds } from '#base';
import type { CliContext } from '#cli/command';
import { counted } from '#cli/count';
import type { WebhookPause } from '#webhooks';

/** @param what the database was restored from: `a backup` */
export function pauseOf(what: string): WebhookPause {
  return {
    at: wallSeconds(),
    reason: `The database was restored from ${what}; the receiver may know of changes that are gone. Let it read the boards again.`,
  };
}

/** Says what to do about them. */
export function tellPaused(paused: number, stderr: CliContext['stderr']): void {
  if (paused === 0) return;
  stderr.write(
    `${counted(paused, 'webhook is', 'webhooks are')} paused. Once a receiver has read the boards again, run "fathom webhooks resume ID".\n`,
  );
}
