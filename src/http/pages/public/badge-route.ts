import { formatTime, UserError } from '#base';
import type { BadgeHolders, HolderPlace, ReputationSource } from '#reputation';
import { afterText, badgePage } from './badge-page.ts';
import type { PageReader } from './reader.ts';
import type { PageOutcome, PublicRoute } from './route.ts';

/** Rows per page. */
const PAGE_SIZE = 50;
/** No badge has a longer id. */
const ID_MAX = 200;

/** `/badges/{id}?after=`: a badge, and who has it. */
export function badgePageRoute(options: {
  readonly source: ReputationSource;
  readonly hasBadgePictures: boolean;
}): PublicRoute {
  const { source, hasBadgePictures } = options;
  return {
    url: '/badges/:id',
    answer(request, reader) {
      const { id = '' } = request.params as { id?: string };
      const { after } = request.query as { after?: unknown };
      const place = after === undefined ? undefined : readPlace(after);
      if (place === 'malformed') {
        return { key: '/badges?', make: () => ({ lost: 'page', status: 400 }) };
      }
      const badge = id.slice(0, ID_MAX);
      const from = place === undefined ? '' : afterText(place);
      return {
        key: `/badges/${badge} ${from}`,
        make: () => outcome(badge, place, reader),
      };
    },
  };

  async function outcome(
    id: string,
    after: HolderPlace | undefined,
    reader: PageReader,
  ): Promise<PageOutcome> {
    const reading = source.reading('visitor');
    let found: BadgeHolders | undefined;
    try {
      found = await reading.badgeHolders({ badge: id, limit: PAGE_SIZE, after });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'route-not-found') throw error;
      return { lost: 'holders', status: 404, shown: id };
    }
    if (found === undefined) return { lost: 'badge', status: 404, shown: id };
    const { totalUsers } = await reading.stats();
    return { page: badgePage({ found, after, totalUsers, reading }, reader, hasBadgePictures) };
  }
}

/** As `afterText` wrote it. */
function readPlace(text: unknown): HolderPlace | 'malformed' {
  const [, seconds, address] = /^(\d{1,12})\.(\w{1,64})$/.exec(String(text)) ?? [];
  if (seconds === undefined || address === undefined) return 'malformed';
  return { earnedAt: formatTime(Number(seconds)), address };
}
