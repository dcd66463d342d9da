import { counted } from '#cli/count';
import type { EndLine } from '#scoring/proof';

/** `197 wallets, 1,546 events, 1 imported activity` */
export function evidenceCounts({ wallets, events, activities }: EndLine): string {
  return [
    counted(wallets, 'wallet', 'wallets'),
    counted(events, 'event', 'events'),
    counted(activities, 'imported activity', 'imported activities'),
  ].join(', ');
}
