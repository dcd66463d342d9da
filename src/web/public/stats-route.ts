import type { ReputationSource } from '#core/ports';
import type { TierThresholds } from '#core/tier';
import { readPart } from './page-part.ts';
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
        const page = await statsPage({ stats, edges, counts, reading, thresholds }, reader);
        return { page, isPartial: counts === 'unavailable' };
      },
    }),
  };
}
