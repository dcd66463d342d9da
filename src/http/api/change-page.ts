import type { ChangesPage } from '#reputation';

/** @param one serializes a wallet's change */
export function serializePage(
  { changes, next, hasMore }: ChangesPage,
  one: (change: object) => string,
): string {
  const texts = changes.map((each) => ('address' in each ? one(each) : JSON.stringify(each)));
  return `{"changes":[${texts.join(',')}],"next":"${next}","hasMore":${hasMore}}`;
}
