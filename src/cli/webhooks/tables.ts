import { formatTime } from '#base';
import { formatTable } from '#cli/table';
import { codeOfChain } from '#wallet';
import type { WebhookAttempt, WebhookSummary } from '#webhooks';

export function webhooksTable(webhooks: readonly WebhookSummary[]): string {
  const heading = ['ID', 'URL', 'EVENTS', 'CHAIN', 'MIN TIER', 'HELD', 'STATE'];
  const rows = webhooks.map((each) => [
    each.id,
    each.url,
    each.events.join(','),
    each.chain === 'all' ? 'all' : codeOfChain(each.chain),
    each.minTier ?? '',
    String(each.held),
    stateOf(each),
  ]);
  return formatTable([heading, ...rows], 'lllllrl');
}

function stateOf({ pause, lastAttempt }: WebhookSummary): string {
  if (pause !== undefined) return `paused ${formatTime(pause.at)}: ${pause.reason}`;
  if (lastAttempt === undefined) return 'active, nothing sent yet';
  const { isTaken, at, result } = lastAttempt;
  return `${isTaken ? 'active' : 'failing'}, ${result} ${formatTime(at)}`;
}

export function attemptsTable(attempts: readonly WebhookAttempt[]): string {
  const heading = ['TIME', 'DELIVERY', 'EVENTS', 'MS', 'TAKEN', 'RESULT'];
  const rows = attempts.map(({ at, delivery, events, milliseconds, isTaken, result }) => [
    formatTime(at),
    delivery,
    String(events),
    String(milliseconds),
    isTaken ? 'yes' : 'no',
    result,
  ]);
  return formatTable([heading, ...rows], 'llrrll');
}
