import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mark } from '#gating/announce/mark';
import type { CommunitySettings, GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import { ELSEWHERE, HOME, NOW } from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

const SETTINGS = { channel: '77', from: 'Whale', badges: 'Epic' } as const;
const CHANGED = 'Announcements have changed meanwhile.';
const RISE = { at: NOW, tier: 'Whale', badges: ['reef'] } as const;

function markOf(account: string, change: Partial<Mark> = {}): Mark {
  return {
    ...{ account, basis: 'ethereum:0x1', epoch: 'e1', tier: 'Shark', badges: ['a', 'b'] },
    ...{ had: { Titan: NOW }, rise: undefined, post: undefined },
    ...change,
  };
}

/** How every store keeps what was seen of members, and who is being announced. */
export function marksContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of marks, which`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
      await gating.noteMembers(HOME, ['1', '2', '3']);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('are replaced and returned for the requested accounts of a community', async () => {
      const other = markOf('2', { tier: undefined, badges: [], had: {} });
      await gating.putMarks(HOME, [markOf('1'), other], []);
      expect(await gating.marksOf(HOME, ['2', '1', '3'])).toEqual([markOf('1'), other]);
      expect(await gating.marksOf(ELSEWHERE, ['1'])).toEqual([]);
      const risen = markOf('1', { epoch: 'e2', rise: RISE });
      await gating.putMarks(HOME, [risen], [markOf('1')]);
      expect(await gating.marksOf(HOME, ['1'])).toEqual([risen]);
    });

    it('are of present members alone, and end when those leave or erase their data', async () => {
      await gating.putMarks(HOME, [markOf('1'), markOf('2'), markOf('9')], []);
      await gating.forgetMember(HOME, '1');
      await store.links.erase({ platform: HOME.platform, id: '2' }, NOW);
      await gating.putMarks(HOME, [markOf('1'), markOf('2')], []);
      expect(await gating.marksOf(HOME, ['1', '2', '9'])).toEqual([]);
    });

    it('keep what was announced, and may have been, of who leaves, until it is old or erased', async () => {
      const toldBadges = { ids: RISE.badges, at: NOW };
      const told = { tier: 'Whale', at: NOW } as const;
      const known = { told, toldBadges };
      const left = (account: string) =>
        markOf(account, { basis: '', epoch: '', tier: undefined, badges: [], had: {}, ...known });
      const all = ['1', '2', '3'];
      const risen = all.map((account) => markOf(account, { rise: RISE }));
      await gating.turnOn(HOME, SETTINGS);
      await gating.putMarks(HOME, risen, []);
      const post = { id: 'post0001', madeAt: NOW };
      await gating.claimRises(HOME, { post });
      await gating.forgetMember(HOME, '1');
      await gating.endPost(
        HOME,
        post.id,
        { lastAt: NOW },
        { at: NOW, tiers: new Map([['2', 'Whale']]), badges: new Map([['2', RISE.badges]]) },
      );
      expect(await gating.marksIn(HOME, post.id)).toEqual([]);
      expect(await gating.marksOf(HOME, all)).toEqual([left('1'), markOf('2', known), markOf('3')]);
      await gating.turnOff(HOME);
      expect(await gating.marksOf(HOME, all)).toEqual([left('1'), left('2')]);
      const account = { platform: HOME.platform, id: '1' };
      const { communities } = await store.links.recordOf(account);
      expect(communities).toMatchObject([{ announcing: known }]);
      await gating.turnOn(HOME, SETTINGS);
      await store.links.erase(account, NOW);
      await gating.putMarks(HOME, [markOf('2', known)], [left('2')]);
      await gating.expireMarks(NOW);
      expect(await gating.marksOf(HOME, all)).toEqual([markOf('2', known)]);
      for (let times = 0; times < 2; times++) await gating.forgetMember(HOME, '2');
      await gating.expireMarks(NOW - 1);
      expect(await gating.marksOf(HOME, all)).toEqual([left('2')]);
      await gating.expireMarks(NOW);
      expect(await gating.marksOf(HOME, all)).toEqual([]);
    });

    it('are in what their account gets to read', async () => {
      await gating.putMarks(HOME, [markOf('1', { rise: RISE })], []);
      const { communities } = await store.links.recordOf({ platform: HOME.platform, id: '1' });
      expect(communities).toMatchObject([
        { announcing: { tier: 'Shark', badges: ['a', 'b'], had: { Titan: NOW }, rise: RISE } },
      ]);
    });

    it('are claimed for one message, which takes those that came before it', async () => {
      await gating.putSettings(HOME, { announce: SETTINGS });
      expect(await gating.hasRises(HOME)).toBe(false);
      const [one, two] = [markOf('1', { rise: RISE }), markOf('2', { rise: RISE })];
      await gating.putMarks(HOME, [one, markOf('3')], []);
      expect(await gating.hasRises(HOME)).toBe(true);
      const post = { id: 'post0001', madeAt: NOW };
      await gating.claimRises(HOME, { post });
      await gating.putMarks(HOME, [two], []);
      expect(await gating.marksIn(HOME, post.id)).toEqual([{ ...one, post: post.id }]);
      expect((await gating.settingsOf(HOME)).announced).toEqual({ post });
      await gating.endPost(HOME, post.id, { lastAt: NOW });
      expect(await gating.marksIn(HOME, post.id)).toEqual([]);
      expect(await gating.marksOf(HOME, ['1', '2'])).toEqual([markOf('1'), two]);
      expect((await gating.settingsOf(HOME)).announced).toEqual({ lastAt: NOW });
    });

    it('are written by whoever has read them as they are', async () => {
      await gating.putMarks(HOME, [markOf('1')], []);
      const risen = markOf('1', { rise: RISE });
      for (const read of [[], [risen], [markOf('1', { post: 'post0001' })]]) {
        const write = async () => gating.putMarks(HOME, [risen, markOf('2')], read);
        await expect(write).rejects.toThrow(CHANGED);
      }
      await expect(async () => gating.putMarks(HOME, [markOf('2')], [markOf('2')])).rejects.toThrow(
        CHANGED,
      );
      expect(await gating.marksOf(HOME, ['1', '2'])).toEqual([markOf('1')]);
    });

    it('are claimed, begun and ended for the message that is there alone', async () => {
      await gating.turnOn(HOME, SETTINGS);
      const [one, two] = [markOf('1', { rise: RISE }), markOf('2', { rise: RISE })];
      await gating.putMarks(HOME, [one, two], []);
      const post = { id: 'post0001', madeAt: NOW };
      const other = { id: 'post0002', madeAt: NOW };
      await gating.claimRises(HOME, { post });
      await expect(async () => gating.claimRises(HOME, { post: other })).rejects.toThrow(CHANGED);
      await expect(async () => gating.beginPost(HOME, other, [])).rejects.toThrow(CHANGED);
      await gating.endPost(HOME, other.id, { lastAt: NOW });
      expect((await gating.settingsOf(HOME)).announced?.post).toEqual(post);
      await gating.beginPost(HOME, post, ['2']);
      expect(await gating.marksOf(HOME, ['1', '2'])).toEqual([{ ...one, post: post.id }, two]);
      const begun = { ...post, begunAt: NOW, channel: '77' };
      await gating.beginPost(HOME, begun, []);
      await expect(async () => gating.beginPost(HOME, post, ['1'])).rejects.toThrow(CHANGED);
      await gating.turnOn(HOME, { ...SETTINGS, channel: '78' });
      expect((await gating.settingsOf(HOME)).announced).toEqual({ post: begun });
      expect(await gating.marksIn(HOME, post.id)).toHaveLength(1);
      await gating.endPost(HOME, post.id, { lastAt: NOW });
      await expect(async () => gating.claimRises(HOME, { post: other })).rejects.toThrow(CHANGED);
      expect(await gating.hasRises(HOME)).toBe(true);
    });

    it('keep what became of a message while moderators are told of a refusal', async () => {
      await gating.putSettings(HOME, { announce: SETTINGS });
      const post = { id: 'post0001', madeAt: NOW };
      await gating.claimRises(HOME, { refused: 'channel-gone', post });
      await gating.noteRefusalReported(HOME, 'channel-closed');
      const refused = 'channel-gone';
      expect((await gating.settingsOf(HOME)).announced).toEqual({ refused, post });
      await gating.noteRefusalReported(HOME, refused);
      const told = { refused, post, isTold: true };
      expect((await gating.settingsOf(HOME)).announced).toEqual(told);
      await gating.endPost(HOME, post.id, { lastAt: NOW });
      await gating.noteRefusalReported(HOME, refused);
      expect((await gating.settingsOf(HOME)).announced).toEqual({ lastAt: NOW });
    });

    it('keep what another replica has begun while a digest is refused', async () => {
      const digest = { done: [] };
      await gating.putSettings(HOME, { announce: SETTINGS, digest });
      const post = { id: 'post0001', madeAt: NOW };
      await gating.claimRises(HOME, { post });
      const refused = 'channel-gone';
      await gating.noteDigest(HOME, digest, digest, refused);
      const untold = { post, refused, isTold: false };
      expect((await gating.settingsOf(HOME)).announced).toEqual(untold);
      await gating.noteRefusalReported(HOME, refused);
      await gating.noteDigest(HOME, digest, digest, refused);
      expect((await gating.settingsOf(HOME)).announced).toEqual({ ...untold, isTold: true });
      await expect(async () =>
        gating.noteDigest(HOME, digest, { done: [1] }, 'channel-closed'),
      ).rejects.toThrow(CHANGED);
      expect((await gating.settingsOf(HOME)).announced?.refused).toBe(refused);
      await gating.noteDigest(HOME, digest, digest, 'posted');
      expect((await gating.settingsOf(HOME)).announced).toEqual({ post, isTold: false });
    });

    it('are forgotten together with how far announcements have come once those are off', async () => {
      const look = { epoch: 'e1', edition: '1', sureAt: NOW, lookedAt: NOW };
      await gating.putSettings(HOME, { announce: SETTINGS, look, digest: { done: [] } });
      await gating.putSettings(HOME, { logChannel: '5' });
      await gating.claimRises(HOME, { post: { id: 'post0001', madeAt: NOW } });
      await gating.putMarks(HOME, [markOf('1', { rise: RISE })], []);
      await gating.turnOff(HOME);
      expect(await gating.marksOf(HOME, ['1'])).toEqual([]);
      const { announce, announced, look: seen, digest, ...others } = await gating.settingsOf(HOME);
      expect([announce, announced, seen, digest]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(others.logChannel).toBe('5');
    });

    it('belong to communities that announce something', async () => {
      await gating.putSettings(ELSEWHERE, { logChannel: '1' });
      expect(await gating.announcing()).toEqual([]);
      await gating.putSettings(HOME, { announce: SETTINGS });
      const look = { epoch: 'e1', edition: '1', sureAt: NOW, lookedAt: NOW };
      await gating.putSettings(HOME, { look });
      expect(await gating.announcing()).toEqual([HOME]);
      expect(await gating.settingsOf(HOME)).toMatchObject({ announce: SETTINGS, look });
      await gating.putSettings(HOME, { announce: undefined, look: undefined });
      expect(await gating.announcing()).toEqual([]);
      // What ends afterwards leaves nothing.
      await gating.endPost(HOME, 'post0001', { lastAt: NOW });
      expect((await gating.settingsOf(HOME)).announced).toBeUndefined();
    });

    it('say how far a digest has come, unless that was turned off meanwhile', async () => {
      const state = { done: [20_640], post: { id: 'a', day: 20_640, begunAt: NOW }, told: '[1]' };
      const begun = { done: [] };
      await gating.noteDigest(HOME, state, begun);
      expect((await gating.settingsOf(HOME)).digest).toBeUndefined();
      await gating.putSettings(HOME, { announce: SETTINGS });
      await gating.noteDigest(HOME, state, begun);
      expect((await gating.settingsOf(HOME)).digest).toBeUndefined();
      await gating.putSettings(HOME, { digest: begun });
      await gating.noteDigest(HOME, state, begun);
      expect((await gating.settingsOf(HOME)).digest).toEqual(state);
      const stale = { ...state, post: { ...state.post, id: 'b' } };
      await expect(async () => gating.noteDigest(HOME, stale, begun)).rejects.toThrow(CHANGED);
      expect((await gating.settingsOf(HOME)).digest).toEqual(state);
      await gating.moveCommunity(HOME, { ...HOME, id: '-100' });
      expect((await gating.settingsOf({ ...HOME, id: '-100' })).digest).toEqual(state);
      await gating.putSettings({ ...HOME, id: '-100' }, { digest: undefined });
      expect((await gating.settingsOf({ ...HOME, id: '-100' })).digest).toBeUndefined();
    });

    it('move with a community', async () => {
      await gating.putSettings(HOME, { announce: SETTINGS });
      await gating.putMarks(HOME, [markOf('1')], []);
      const moved = { ...HOME, id: '-100' };
      await gating.moveCommunity(HOME, moved);
      expect(await gating.marksOf(moved, ['1'])).toEqual([markOf('1')]);
      expect(await gating.announcing()).toEqual([moved]);
    });

    it('settings move whole, and what began before the move spoils none', async () => {
      const [from, to] = [HOME, { ...HOME, id: '-100' }];
      const settings: Partial<CommunitySettings> = {
        ...{ logChannel: '5', invite: 'https://t.me/+1', isLadder: true, language: 'es' },
        ...{ walletMode: 'sum', auditCursor: '8', memory: { totalUsers: 12 } },
        ...{ look: { epoch: 'e1', edition: '1', sureAt: NOW, lookedAt: NOW } },
        ...{ announced: { lastAt: NOW }, digest: { done: [20_640] } },
      };
      const panel = { id: 'panel001', channel: from.id };
      const account = { platform: HOME.platform, id: '1' };
      await gating.putSettings(from, { ...settings, announce: { ...SETTINGS, channel: from.id } });
      await gating.putSettings(from, { panel, panelPost: { ...panel, message: '5' } });
      await store.links.setChoice(account, { privacy: 'community', communities: [from.id] }, NOW);
      await gating.putSettings(to, { language: 'en' });
      await gating.moveCommunity(from, to);
      // Of something that was under way.
      await gating.putSettings(from, { memory: { totalUsers: 1 }, panelPost: panel });
      await gating.moveCommunity(from, to);
      const moved = await gating.settingsOf(to);
      expect(moved).toMatchObject(settings);
      expect(moved.announce?.channel).toBe(to.id);
      expect(moved.panel).toEqual({ ...panel, channel: to.id });
      // Its messages stay behind, and their ids are those of others there.
      expect(moved.panelPost).toBeUndefined();
      expect((await store.links.choiceOf(account))?.communities).toEqual([to.id]);
    });

    it('a panel that somebody has deleted stays deleted in a community that moved', async () => {
      const to = { ...HOME, id: '-100' };
      const panel = { id: 'panel001', channel: HOME.id };
      await gating.putSettings(HOME, { panel });
      await gating.putSettings(HOME, { panelPost: { ...panel, message: '5', ended: 'deleted' } });
      await gating.moveCommunity(HOME, to);
      const { panelPost } = await gating.settingsOf(to);
      expect(panelPost).toEqual({ ...panel, channel: to.id, ended: 'deleted' });
    });

    it('a digest is turned on once, and only where something is announced', async () => {
      const begun = { done: [20_640] };
      expect(await gating.setDigest(HOME, begun)).toBe(false);
      await gating.turnOn(HOME, SETTINGS);
      expect(await gating.setDigest(HOME, begun)).toBe(true);
      expect(await gating.setDigest(HOME, { done: [] })).toBe(false);
      expect((await gating.settingsOf(HOME)).digest).toEqual(begun);
      expect(await gating.setDigest(HOME, undefined)).toBe(true);
      expect(await gating.setDigest(HOME, undefined)).toBe(false);
    });

    it('a panel stays with its community until it is taken away', async () => {
      const panel = { id: 'panel001', channel: '77' };
      const panelPost = { ...panel, message: '5', writtenAt: NOW };
      await gating.putSettings(HOME, { panel });
      await gating.putSettings(HOME, { panelPost });
      expect(await gating.settingsOf(HOME)).toMatchObject({ panel, panelPost });
      expect(await gating.withPanels()).toEqual([HOME]);
      await gating.putSettings(HOME, { panel: undefined });
      expect(await gating.withPanels()).toEqual([HOME]);
      const moved = { ...HOME, id: '-100' };
      await gating.moveCommunity(HOME, moved);
      expect(await gating.withPanels()).toEqual([moved]);
      expect((await gating.settingsOf(moved)).panelPost).toEqual(panelPost);
      await gating.putSettings(moved, { panelPost: undefined });
      expect(await gating.withPanels()).toEqual([]);
    });

    it('an account declines announcements by a choice of its own', async () => {
      const account = { platform: HOME.platform, id: '1' };
      const choice = { privacy: 'public', communities: [] } as const;
      await store.links.setChoice(account, { ...choice, isUnannounced: true }, NOW);
      expect(await store.links.choiceOf(account)).toEqual({ ...choice, isUnannounced: true });
      await store.links.setChoice(account, choice, NOW);
      expect(await store.links.choiceOf(account)).toEqual(choice);
    });
  });
}
