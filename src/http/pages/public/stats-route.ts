import type { ReputationSource, TierThresholds } from '#reputation';
import { partValue, readPart } from './page-part.ts';
import type { PublicRoute } from './route.ts';
import { scoreEdges } from './score-edges.ts';
import { statsPage } from './stats-page.ts';

export interface StatsRouteOptions {
  readonly source: ReputationSource;
  readonly thresholds: TierThresholds;
}

/** `/stats` */
export function statsPageRoute({ source, thresholds }: StatsRouteOptions): PublicRoute {
  const edges = scoreEdges(thresholds);
  return {
    url: '/stats',
    answer: (_, reader) => ({
      key: '/stats',
      async make() {
        const reading = source.reading('visitor');
        const stats = await reading.stats();
        const counts = await readPart(() => reading.countFrom(edges.map(({ from }) => from)));
        const growth = await readPart(() => reading.growth());
        const content = { stats, edges, counts, growth, reading, thresholds };
        const isMissing = [counts, growth].includes('unavailable');
        const isPartial = isMissing || partValue(growth)?.isBehind === true;
        return { page: await statsPage(content, reader), isPartial };
      },
    }),
  };
}
