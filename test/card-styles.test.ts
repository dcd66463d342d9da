import { describe, expect, it, vi } from 'vitest';
import { type CardStylesOptions, createCardStyles } from '#app/chats/pictures';
import { RetryableError, UserError } from '#base/errors';
import type { AuditRow } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import { type Banner, type CardStyle, NO_STYLE } from '#pictures/style/index';
import { silentLog } from './support/log.ts';

const HERE: Community = { platform: 'discord', id: '10' };
const THERE: Community = { platform: 'telegram', id: '10' };
const BANNER: Banner = { png: Uint8Array.of(1, 2), digest: 'b'.repeat(22) };
const BY = 'discord:7';

/** A store that counts, as replicas would share it. */
function sharedStore() {
  const styles = new Map<string, { accent: number | undefined; banner: Banner | undefined }>();
  const keyOf = ({ platform, id }: Community) => `${platform} ${id}`;
  const store = {
    reads: 0,
    bannerReads: 0,
    rows: [] as AuditRow[],
    /** In place of what is kept. */
    answer: undefined as (() => Promise<CardStyle>) | undefined,
    async styleOf(community: Community): Promise<CardStyle> {
      store.reads += 1;
      if (store.answer !== undefined) return store.answer();
      const kept = styles.get(keyOf(community));
      return kept === undefined ? NO_STYLE : { accent: kept.accent, banner: kept.banner?.digest };
    },
    async bannerOf(community: Community) {
      store.bannerReads += 1;
      return styles.get(keyOf(community))?.banner;
    },
    async putStyle(community: Community, changes: object, row?: AuditRow) {
      if (row !== undefined) store.rows.push(row);
      const none = { accent: undefined, banner: undefined };
      styles.set(keyOf(community), { ...(styles.get(keyOf(community)) ?? none), ...changes });
    },
  };
  return store;
}

function stylesOver(store: ReturnType<typeof sharedStore>, more: Partial<CardStylesOptions> = {}) {
  const clock = { ms: 0 };
  const styles = createCardStyles({
    store,
    fetchBanner: async () => BANNER,
    log: silentLog,
    clock: () => clock.ms,
    patienceMs: 60_000,
    ...more,
  });
  return { styles, rows: store.rows, clock };
}

describe('styles of cards', () => {
  it('are kept for some seconds, each community its own', async () => {
    const store = sharedStore();
    const { styles, clock } = stylesOver(store);
    await store.putStyle(HERE, { accent: 5 });
    expect(await styles.styleOf(HERE)).toEqual({ accent: 5, banner: undefined });
    expect(await styles.styleOf(THERE)).toEqual(NO_STYLE);
    clock.ms += 4_999;
    await styles.styleOf(HERE);
    expect(store.reads).toBe(2);
  });

  it('Styles of cards that one replica changes show at once there, and within five seconds elsewhere', async () => {
    const store = sharedStore();
    const [one, other] = [stylesOver(store), stylesOver(store)];
    await other.styles.styleOf(HERE);
    await one.styles.setAccent(HERE, 0x1790ed, BY);
    await one.styles.setBanner(HERE, 'https://example.org/a.png', BY);
    const changed = { accent: 0x1790ed, banner: BANNER.digest };
    expect(await one.styles.styleOf(HERE)).toEqual(changed);
    other.clock.ms += 5_000;
    expect(await other.styles.styleOf(HERE)).toEqual(changed);
    await one.styles.reset(HERE, BY);
    expect(await one.styles.styleOf(HERE)).toEqual(NO_STYLE);
  });

  it('are in the audit log, with who changed what', async () => {
    const { styles, rows } = stylesOver(sharedStore());
    await styles.setAccent(HERE, 0x1790ed, BY);
    await styles.setBanner(HERE, 'https://example.org/secret?token=1', BY);
    await styles.reset(THERE, BY);
    expect(
      rows.map(({ event, community, by, detail }) => [event, community.id, by, detail]),
    ).toEqual([
      ['card-colour', '10', BY, '#1790ed'],
      ['card-banner', '10', BY, ''],
      ['card-reset', '10', BY, ''],
    ]);
  });

  it('a change is not hidden by a read that began before it', async () => {
    const store = sharedStore();
    const { styles } = stylesOver(store);
    const slow = Promise.withResolvers<CardStyle>();
    store.answer = () => slow.promise;
    const before = styles.styleOf(HERE);
    store.answer = undefined;
    await styles.setAccent(HERE, 6, BY);
    slow.resolve(NO_STYLE);
    await before;
    expect(await styles.styleOf(HERE)).toEqual({ accent: 6, banner: undefined });
  });

  it.each([
    ['is away', () => Promise.reject(new RetryableError('away'))],
    ['hangs', () => new Promise<CardStyle>(() => undefined)],
    ['fails', () => Promise.reject(new TypeError('bug'))],
  ])('stay as they were last known while the store %s', async (_, answer) => {
    const store = sharedStore();
    const { styles, clock } = stylesOver(store, { patienceMs: 1 });
    await styles.setAccent(HERE, 7, BY);
    store.answer = answer;
    clock.ms += 5_000;
    expect(await styles.styleOf(HERE)).toEqual({ accent: 7, banner: undefined });
    expect(await styles.styleOf(THERE)).toEqual(NO_STYLE);
  });

  it('have their banners in memory', async () => {
    const store = sharedStore();
    const { styles } = stylesOver(store);
    await styles.setBanner(HERE, 'https://example.org/a.png', BY);
    const style = await styles.styleOf(HERE);
    expect(await styles.bannerOf(HERE, style)).toEqual(BANNER);
    expect(await styles.bannerOf(HERE, style)).toEqual(BANNER);
    expect(store.bannerReads).toBe(1);
    expect(await styles.bannerOf(THERE, NO_STYLE)).toBeUndefined();
    expect(store.bannerReads).toBe(1);
  });

  it('fetch two banners at once at most, and of one community a single one', async () => {
    const fetch = Promise.withResolvers<Banner>();
    const { styles } = stylesOver(sharedStore(), { fetchBanner: () => fetch.promise });
    const set = (community: Community) => styles.setBanner(community, 'https://a.b/', BY);
    const busy = { code: 'banner-busy' };
    const first = set(HERE);
    await expect(set(HERE)).rejects.toMatchObject(busy);
    const second = set(THERE);
    await expect(set({ ...HERE, id: '11' })).rejects.toMatchObject(busy);
    fetch.resolve(BANNER);
    await Promise.all([first, second]);
    await set(HERE);
  });

  it('take ten banners in ten minutes, by one moderator and for one community', async () => {
    const { styles, clock } = stylesOver(sharedStore());
    const often = { code: 'banner-often' };
    const set = (id: number, by: number) =>
      styles.setBanner({ ...HERE, id: String(id) }, 'https://a.b/', `discord:${by}`);
    for (let i = 1; i <= 10; i++) await set(i, 1);
    await expect(set(11, 1)).rejects.toMatchObject(often);
    for (let i = 1; i <= 10; i++) await set(12, 1 + i);
    await expect(set(12, 12)).rejects.toMatchObject(often);
    await set(13, 12);
    clock.ms += 600_000;
    await set(11, 1);
    await set(12, 1);
  });

  it('keep their banner where a new one is refused', async () => {
    const refused = new UserError('banner-unreadable', 'no');
    const fetches: PromiseWithResolvers<Banner>[] = [];
    const fetchBanner = () => {
      const fetch = Promise.withResolvers<Banner>();
      fetches.push(fetch);
      return fetch.promise;
    };
    const { styles, rows } = stylesOver(sharedStore(), { fetchBanner });
    const [one, other] = [HERE, THERE].map((each) => styles.setBanner(each, 'https://a.b/', BY));
    await vi.waitFor(() => expect(fetches).toHaveLength(2), { interval: 1 });
    fetches[0]?.reject(refused);
    fetches[1]?.resolve(BANNER);
    await expect(one).rejects.toBe(refused);
    await other;
    expect(rows.map(({ community }) => community)).toEqual([THERE]);
    const third = styles.setBanner(HERE, 'https://a.b/', BY);
    await vi.waitFor(() => expect(fetches).toHaveLength(3), { interval: 1 });
    fetches[2]?.resolve(BANNER);
    await third;
    expect((await styles.styleOf(HERE)).banner).toBe(BANNER.digest);
  });
});
