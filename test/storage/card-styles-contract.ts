import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Banner, type CardStyleStore, NO_STYLE } from '#pictures/style/index';
import type { Store } from '#storage/store';
import { auditRow, ELSEWHERE, HOME, OTHER } from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

const BANNER: Banner = { png: Uint8Array.of(0, 1, 255, 39), digest: 'a'.repeat(22) };
const LARGE: Banner = { png: new Uint8Array(600_000).fill(7), digest: 'b'.repeat(22) };

/** What every store keeps of how communities' cards look. */
export function cardStylesContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of card styles`, () => {
    let store: Store;
    let styles: CardStyleStore;

    beforeEach(async () => {
      store = await under.open();
      styles = store.cardStyles;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('a community has no style at first', async () => {
      expect(await styles.styleOf(HOME)).toEqual(NO_STYLE);
      expect(await styles.bannerOf(HOME)).toBeUndefined();
    });

    it('keeps an accent and a banner apart, for each community', async () => {
      await styles.putStyle(HOME, { accent: 0 });
      await styles.putStyle(OTHER, { banner: BANNER });
      await styles.putStyle(ELSEWHERE, { accent: 0xffffff, banner: LARGE });
      expect(await styles.styleOf(HOME)).toEqual({ accent: 0, banner: undefined });
      expect(await styles.styleOf(OTHER)).toEqual({ accent: undefined, banner: BANNER.digest });
      expect(await styles.styleOf(ELSEWHERE)).toEqual({ accent: 0xffffff, banner: LARGE.digest });
      expect(await styles.bannerOf(HOME)).toBeUndefined();
      expect(await styles.bannerOf(OTHER)).toEqual(BANNER);
      expect(await styles.bannerOf(ELSEWHERE)).toEqual(LARGE);
    });

    it('replaces what is given and leaves the rest', async () => {
      await styles.putStyle(HOME, { accent: 1, banner: BANNER });
      await styles.putStyle(HOME, { accent: 2 });
      expect(await styles.styleOf(HOME)).toEqual({ accent: 2, banner: BANNER.digest });
      await styles.putStyle(HOME, { banner: LARGE });
      expect(await styles.styleOf(HOME)).toEqual({ accent: 2, banner: LARGE.digest });
      await styles.putStyle(HOME, { accent: undefined });
      expect(await styles.styleOf(HOME)).toEqual({ accent: undefined, banner: LARGE.digest });
      await styles.putStyle(HOME, { accent: undefined, banner: undefined });
      expect(await styles.styleOf(HOME)).toEqual(NO_STYLE);
      expect(await styles.bannerOf(HOME)).toBeUndefined();
    });

    it('writes down a change together with it, or neither', async () => {
      const row = auditRow('card-colour', { detail: '#000001', by: 'discord:7' });
      const log = () => store.gating.auditOf(HOME, undefined, 10, 0);
      await styles.putStyle(HOME, { accent: 1 }, row);
      expect(await log()).toEqual([row]);
      const impossible = { ...row, detail: null as unknown as string };
      await expect(
        (async () => styles.putStyle(HOME, { accent: 2 }, impossible))(),
      ).rejects.toThrow();
      expect(await styles.styleOf(HOME)).toEqual({ accent: 1, banner: undefined });
      expect(await log()).toEqual([row]);
    });

    it('goes along with a community that gets another id', async () => {
      await styles.putStyle(ELSEWHERE, { accent: 3, banner: BANNER });
      await styles.putStyle(HOME, { accent: 4 });
      const to = { platform: 'telegram', id: '-10010' } as const;
      await styles.putStyle(to, { accent: 5 });
      await store.gating.moveCommunity(ELSEWHERE, to);
      expect(await styles.styleOf(to)).toEqual({ accent: 3, banner: BANNER.digest });
      expect(await styles.bannerOf(to)).toEqual(BANNER);
      expect(await styles.styleOf(ELSEWHERE)).toEqual(NO_STYLE);
      expect(await styles.styleOf(HOME)).toEqual({ accent: 4, banner: undefined });
    });

    it('is shown to the next process', async () => {
      if (under.again === undefined) return;
      await styles.putStyle(HOME, { accent: 6, banner: BANNER });
      const next = await under.again();
      expect(await next.cardStyles.styleOf(HOME)).toEqual({ accent: 6, banner: BANNER.digest });
      await next.close();
    });
  });
}
