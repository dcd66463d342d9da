import type { Community } from '#gating';
import { type Banner, type CardStyleStore, NO_STYLE } from '#pictures/style';
import { addToAudit } from '#storage/gating/audit';
import {
  firstRow,
  OF_COMMUNITY,
  putRow,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';

/** The styles of communities' cards, in the store's tables. */
export function createCardStyleStore(sql: SqlRunner): CardStyleStore {
  return {
    styleOf: ({ platform, id }) =>
      sql.query(function* () {
        const text = `SELECT accent, banner_digest FROM card_style WHERE ${OF_COMMUNITY}`;
        const row = yield* firstRow(text, [platform, id]);
        if (row === undefined) return NO_STYLE;
        const { accent, banner_digest: banner } = row;
        return {
          accent: accent === null ? undefined : Number(accent),
          banner: banner === null ? undefined : String(banner),
        };
      }),
    bannerOf: ({ platform, id }) =>
      sql.query(function* (): SqlScript<Banner | undefined> {
        const text = `SELECT banner, banner_digest FROM card_style WHERE ${OF_COMMUNITY} AND banner IS NOT NULL`;
        const row = yield* firstRow(text, [platform, id]);
        if (row === undefined) return undefined;
        // Some drivers return a Buffer.
        const png = new Uint8Array(row.banner as Uint8Array);
        return { png, digest: String(row.banner_digest) };
      }),
    putStyle: (community, changes, row) =>
      sql.transact(function* (): SqlScript<void> {
        const { accent, banner } = changes;
        if ('accent' in changes) yield* put(community, { accent });
        if ('banner' in changes) {
          yield* put(community, { banner: banner?.png, banner_digest: banner?.digest });
        }
        const { platform, id } = community;
        yield* run(
          `DELETE FROM card_style WHERE ${OF_COMMUNITY} AND accent IS NULL AND banner IS NULL`,
          [platform, id],
        );
        if (row !== undefined) yield* addToAudit(sql.dialect, [row]);
      }),
  };
}

function put({ platform, id }: Community, values: Readonly<Record<string, unknown>>) {
  return putRow('card_style', { platform, community: id, ...values });
}
