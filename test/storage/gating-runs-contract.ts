import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_COUNTS } from '#gating/reports/audit';
import type { GateStore } from '#gating/store';
import type { Store } from '#storage/store';
import {
  ALL,
  auditRow,
  changeOf,
  ELSEWHERE,
  grantOf,
  HOME,
  NOW,
  OTHER,
  ruleOf,
  runOf,
} from '../support/gate-records.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps runs, their changes and the audit log. */
export function gatingRunsContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of gating’s runs and audit`, () => {
    let store: Store;
    let gating: GateStore;

    beforeEach(async () => {
      store = await under.open();
      gating = store.gating;
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const auditOf = async (account?: string) => await gating.auditOf(HOME, account, ALL, 0);
    const changesOf = async (run = 'run00001') => await gating.changesOf(run, undefined, -1, ALL);

    it('an empty store knows no run and reports nothing', async () => {
      expect(await changesOf()).toEqual([]);
      expect(await gating.openRuns()).toEqual([]);
      expect(await gating.runsOf(HOME, ALL)).toEqual([]);
      expect(await auditOf()).toEqual([]);
      expect(await auditOf('1')).toEqual([]);
      await gating.endRun('run00001', 'finished', NO_COUNTS, NOW);
      expect(await gating.runsOf(HOME, ALL)).toEqual([]);
    });

    describe('runs', () => {
      it('are confirmed once, and not while another one is active', async () => {
        await gating.beginRun(runOf('run00001', { status: 'held' }));
        await gating.beginRun(runOf('run00002'));
        expect(await gating.confirmRun('run00001', 'discord:9')).toBe(false);
        await gating.endRun('run00002', 'finished', NO_COUNTS, NOW);
        expect(await gating.confirmRun('run00001', 'discord:9')).toBe(true);
        expect(await gating.confirmRun('run00001', 'discord:9')).toBe(false);
        expect(await gating.confirmRun('run00002', 'discord:9')).toBe(false);
        expect((await gating.openRuns()).map(({ id }) => id)).toEqual(['run00001']);
        // It began after the other one, as it waited.
        const newest = (await gating.runsOf(HOME, ALL)).map(({ id }) => id);
        expect(newest).toEqual(['run00001', 'run00002']);
      });

      it('wait their turn beside an active one, and may be stopped before it', async () => {
        const undo = { cause: 'undo', undoes: 'run00001', confirmedBy: 'discord:9' } as const;
        const queued = runOf('run00002', { ...undo, status: 'queued' });
        expect(await gating.beginRun(runOf('run00001'))).toBe(true);
        expect(await gating.beginRun(queued)).toBe(true);
        const open = async () => (await gating.openRuns()).map(({ id, status }) => [id, status]);
        expect(await open()).toEqual([
          ['run00001', 'running'],
          ['run00002', 'queued'],
        ]);
        expect(await gating.startRun('run00002')).toBe(false);
        expect(await gating.stopRun('run00002', 'discord:8')).toBe(true);
        await gating.endRun('run00001', 'finished', NO_COUNTS, NOW);
        expect(await gating.startRun('run00002')).toBe(true);
        expect(await gating.startRun('run00002')).toBe(false);
        expect(await gating.startRun('run00001')).toBe(false);
        expect(await gating.run('run00002')).toEqual({
          ...queued,
          status: 'running',
          stoppedBy: 'discord:8',
        });
      });

      it("begin one at a time per community, beside held ones and other communities'", async () => {
        expect(await gating.beginRun(runOf('run00001'))).toBe(true);
        expect(await gating.beginRun(runOf('run00002'))).toBe(false);
        expect(await gating.beginRun(runOf('run00003', { community: OTHER }))).toBe(true);
        expect(await gating.beginRun(runOf('run00004', { community: ELSEWHERE }))).toBe(true);
        const ofMember = runOf('run00005', { cause: 'member', status: 'finished' });
        expect(await gating.beginRun(ofMember)).toBe(true);
        await gating.endRun('run00001', 'held', NO_COUNTS, NOW + 1);
        expect(await gating.beginRun(runOf('run00006'))).toBe(true);
        expect(await gating.beginRun(runOf('run00007'))).toBe(false);
        expect((await gating.runsOf(HOME, ALL)).map(({ id }) => id)).toEqual([
          'run00006',
          'run00005',
          'run00001',
        ]);
      });

      it('are returned in full, and ended once', async () => {
        const counts = { ...NO_COUNTS, members: 7, held: 2 };
        const run = runOf('run00001', { cause: 'moderator', by: 'discord:9' });
        await gating.beginRun(run);
        expect(await gating.runsOf(HOME, ALL)).toEqual([run]);
        expect(await gating.openRuns()).toEqual([run]);
        await gating.endRun('run00001', 'held', counts, NOW + 1);
        expect(await gating.runsOf(HOME, ALL)).toEqual([{ ...run, status: 'held', counts }]);
        expect(await gating.openRuns()).toEqual([]);
        await gating.endRun('run00001', 'finished', NO_COUNTS, NOW + 2);
        await gating.endRun('run00001', 'undone', NO_COUNTS, NOW + 3);
        expect(await gating.runsOf(HOME, ALL)).toEqual([
          { ...run, status: 'undone', finishedAt: NOW + 2 },
        ]);
      });

      it('end an undo together with the mark and the record of its run', async () => {
        const undo = runOf('run00002', { cause: 'undo', undoes: 'run00001' });
        const counts = { ...NO_COUNTS, members: 7 };
        await gating.beginRun(runOf('run00001'));
        await gating.endRun('run00001', 'finished', counts, NOW + 1);
        const row = auditRow('undone', { at: NOW + 3, run: 'run00001', by: 'discord:9' });
        await gating.endUndo(undo, row);
        expect(await auditOf()).toEqual([]);
        expect((await gating.run('run00001'))?.status).toBe('finished');

        await gating.beginRun(undo);
        await gating.endUndo({ ...undo, counts: { ...NO_COUNTS, taken: 2 } }, row);
        expect(await auditOf()).toEqual([row]);
        const [ended, undone] = await gating.runsOf(HOME, ALL);
        expect(ended).toMatchObject({ status: 'finished', finishedAt: NOW + 3 });
        expect(ended?.counts.taken).toBe(2);
        expect(undone).toMatchObject({ status: 'undone', finishedAt: NOW + 1, counts });
      });

      it('are found by the run that they undo', async () => {
        const undo = { cause: 'undo', undoes: 'run00001', status: 'finished' } as const;
        await gating.beginRun(runOf('run00001', { status: 'finished' }));
        await gating.beginRun(runOf('run00002', undo));
        await gating.beginRun(runOf('run00003', { ...undo, undoes: 'run00002' }));
        await gating.beginRun(runOf('run00004', { ...undo, community: OTHER }));
        await gating.beginRun(runOf('run00005', undo));
        const undos = await gating.undosOf(runOf('run00001'));
        expect(undos.map(({ id }) => id)).toEqual(['run00002', 'run00005']);
        expect(await gating.undosOf(runOf('run00004'))).toEqual([]);
      });

      it("wait to be reported once they're held or over, until that's recorded once", async () => {
        await gating.beginRun(runOf('run00001', { cause: 'member', status: 'finished' }));
        await gating.beginRun(runOf('run00002', { status: 'held' }));
        await gating.beginRun(runOf('run00003', { status: 'finished' }));
        await gating.beginRun(runOf('run00004', { status: 'held', community: OTHER }));
        await gating.beginRun(runOf('run00005', { status: 'held' }));
        const undo = { cause: 'undo', undoes: 'run00003' } as const;
        await gating.beginRun(runOf('run00006', { ...undo, status: 'finished' }));
        await gating.beginRun(runOf('run00007', { ...undo, status: 'queued' }));
        await gating.beginRun(runOf('run00008', { status: 'running' }));
        const untold = async () => (await gating.unreportedRuns(ALL)).map(({ id }) => id);
        const held = async () => (await gating.heldRuns(HOME)).map(({ id }) => id);
        const all = ['run00001', 'run00002', 'run00003', 'run00004', 'run00005'];
        expect(await untold()).toEqual(all);
        expect(await gating.unreportedRuns(1)).toHaveLength(1);
        expect(await held()).toEqual(['run00005', 'run00002']);
        await gating.markRunsReported(['run00001', 'run00002', 'run00003'], NOW);
        await gating.markRunsReported(['run00002'], NOW + 9);
        expect(await untold()).toEqual(['run00004', 'run00005']);
        expect(await gating.run('run00002')).toMatchObject({ status: 'held', toldAt: NOW });
        await gating.endRun('run00002', 'finished', NO_COUNTS, NOW);
        expect(await held()).toEqual(['run00005']);
        await gating.endRun('run00008', 'finished', NO_COUNTS, NOW);
        await gating.markRunsReported(['run00005', 'run00008'], NOW);
        // Removals after a confirmation are listed, too.
        await gating.confirmRun('run00005', 'discord:9');
        await gating.endRun('run00005', 'finished', NO_COUNTS, NOW);
        expect(await untold()).toEqual(['run00004', 'run00005']);
        await gating.markRunsReported([], NOW);
      });

      it('are listed newest first and no more than requested', async () => {
        for (const id of ['run00009', 'run00001', 'run00005']) {
          await gating.beginRun(runOf(id, { status: 'finished' }));
        }
        expect((await gating.runsOf(HOME, 2)).map(({ id }) => id)).toEqual([
          'run00005',
          'run00001',
        ]);
        expect(await gating.runsOf(ELSEWHERE, 2)).toEqual([]);
      });
    });

    describe('changes', () => {
      const marked = auditRow('give-begun', { run: 'run00001', rule: 'aaaa', account: '1' });

      beforeEach(async () => {
        await gating.putRule(ruleOf('aaaa'));
        await gating.beginRun(runOf('run00001'));
        await gating.beginRun(runOf('run00002', { community: ELSEWHERE }));
      });

      it('come in order and pages, by status or not, of one run only', async () => {
        const changes = [3, 0, 2, 1].map((number) => changeOf(number, { account: `${number}` }));
        await gating.planChanges(changes);
        await gating.planChanges([changeOf(0, { run: 'run00002', step: 'take' })]);
        const numbers = async (
          status: 'planned' | 'done' | undefined,
          after: number,
          limit = ALL,
        ) => (await gating.changesOf('run00001', status, after, limit)).map(({ number }) => number);
        expect(await changesOf()).toEqual(
          [3, 2, 1, 0].reverse().map((n) => changeOf(n, { account: `${n}` })),
        );
        expect(await changesOf('run00002')).toEqual([
          changeOf(0, { run: 'run00002', step: 'take' }),
        ]);
        await gating.markChange(changeOf(1, { status: 'done' }), marked, HOME, []);
        expect(await numbers(undefined, -1, 2)).toEqual([0, 1]);
        expect(await numbers(undefined, 1, 2)).toEqual([2, 3]);
        expect(await numbers('planned', -1, 2)).toEqual([0, 2]);
        expect(await numbers('planned', 2)).toEqual([3]);
        expect(await numbers('done', -1)).toEqual([1]);
      });

      it('belong to a run that was begun', async () => {
        await refused(() => gating.planChanges([changeOf(0), changeOf(1, { run: 'run00009' })]));
        expect(await changesOf()).toEqual([]);
        expect(await changesOf('run00009')).toEqual([]);
      });

      it('are marked with their audit row and the grant', async () => {
        await gating.planChanges([changeOf(0), changeOf(1)]);
        const begun = changeOf(0, { status: 'begun' });
        expect(await gating.markChange(begun, marked, HOME, [])).toBe(true);
        expect(await changesOf()).toEqual([begun, changeOf(1)]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
        const done = changeOf(0, { status: 'done' });
        const given = { ...marked, event: 'given' } as const;
        expect(await gating.markChange(done, given, HOME, [grantOf('aaaa', '1')])).toBe(true);
        expect(await changesOf()).toEqual([done, changeOf(1)]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([grantOf('aaaa', '1')]);
        expect(await auditOf()).toEqual([given, marked]);
      });

      it.each([
        ['a row of the audit', { ...marked, detail: null as never }, grantOf('aaaa', '1')],
        ['a grant', marked, grantOf('aaaa', '1', { lacks: null as never })],
      ])("leave nothing if %s can't be written", async (_, row, grant) => {
        await gating.planChanges([changeOf(0)]);
        const done = changeOf(0, { status: 'done' });
        await refused(() => gating.markChange(done, row, HOME, [grant]));
        expect(await changesOf()).toEqual([changeOf(0)]);
        expect(await auditOf()).toEqual([]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
      });

      it("Changes of a deleted rule aren't begun, but what was done by then is recorded", async () => {
        await gating.planChanges([changeOf(0), changeOf(1)]);
        await gating.markChange(changeOf(0, { status: 'begun' }), marked, HOME, []);
        await gating.removeRule(HOME, 'aaaa');
        const late = changeOf(1, { status: 'begun' });
        expect(await gating.markChange(late, marked, HOME, [])).toBe(false);
        expect(await auditOf()).toEqual([marked]);
        const done = changeOf(0, { status: 'done' });
        const given = { ...marked, event: 'given' } as const;
        expect(await gating.markChange(done, given, HOME, [grantOf('aaaa', '1')])).toBe(true);
        expect(await auditOf()).toEqual([given, marked]);
        expect(await gating.grantsOf(HOME, ['1'])).toEqual([]);
        const skipped = { ...marked, event: 'skipped' } as const;
        const skip = changeOf(1, { status: 'skipped' });
        expect(await gating.markChange(skip, skipped, HOME, [])).toBe(false);
        expect(await auditOf()).toHaveLength(2);
      });

      it('are deleted with their run, unless it did something', async () => {
        await gating.planChanges([changeOf(0), changeOf(1, { status: 'skipped' })]);
        const begun = changeOf(0, { run: 'run00002', status: 'begun' });
        await gating.planChanges([begun]);
        await gating.audit([marked]);
        await gating.forgetRun('run00001');
        await gating.forgetRun('run00002');
        expect(await gating.runsOf(HOME, ALL)).toEqual([]);
        expect(await changesOf()).toEqual([]);
        expect(await gating.runsOf(ELSEWHERE, ALL)).toHaveLength(1);
        expect(await changesOf('run00002')).toEqual([begun]);
        expect(await auditOf()).toEqual([marked]);
        expect(await gating.beginRun(runOf('run00003'))).toBe(true);
      });
    });

    it.each<[string, (gate: GateStore) => unknown]>([
      ['members', (gate) => gate.noteMembers(HOME, ['1', null as never])],
      [
        'grants',
        (gate) =>
          gate.putGrants(HOME, [
            grantOf('aaaa', '1'),
            grantOf('aaaa', '2', { ownership: null as never }),
          ]),
      ],
      [
        'changes',
        (gate) => gate.planChanges([changeOf(0), changeOf(1, { reason: null as never })]),
      ],
      ['audit', (gate) => gate.audit([auditRow('held'), auditRow(null as never)])],
    ])('of %s are written together or not at all', async (_, write) => {
      await gating.putRule(ruleOf('aaaa'));
      await gating.beginRun(runOf('run00001'));
      await refused(() => write(gating));
      expect(await gating.countMembers(HOME)).toBe(0);
      expect(await gating.grantsOf(HOME, ['1', '2'])).toEqual([]);
      expect(await changesOf()).toEqual([]);
      expect(await auditOf()).toEqual([]);
    });

    describe('the audit log', () => {
      it('is returned newest first, in pages, for a community or one member', async () => {
        const rows = [
          auditRow('rule-added', { rule: 'aaaa', by: 'discord:9', detail: 'Whales' }),
          auditRow('given', { run: 'run00001', rule: 'aaaa', account: '1', detail: 'Whale' }),
          auditRow('given', { run: 'run00001', rule: 'aaaa', account: '2' }),
          // The clock was set back: the order is that of arrival.
          auditRow('taken', { at: NOW - 5, account: '1' }),
        ];
        await gating.audit(rows.slice(0, 2));
        await gating.audit(rows.slice(2));
        await gating.audit([OTHER, ELSEWHERE].map((community) => ({ ...rows[1]!, community })));
        await gating.audit([]);
        expect(await auditOf()).toEqual(rows.toReversed());
        expect(await gating.auditOf(HOME, undefined, 2, 1)).toEqual([rows[2], rows[1]]);
        expect(await auditOf('1')).toEqual([rows[3], rows[1]]);
        expect(await gating.auditOf(HOME, '1', 1, 1)).toEqual([rows[1]]);
        expect(await gating.auditOf(ELSEWHERE, '1', ALL, 0)).toHaveLength(1);
      });

      it('shows people each change once, on whatever page its beginning and end are', async () => {
        const about = (event: 'give-begun' | 'given' | 'refused', run: string, account: string) =>
          auditRow(event, { run, rule: 'aaaa', account });
        const elsewhere = { ...about('given', 'run00001', '3'), community: OTHER };
        const entry = auditRow('give-begun', { account: '4' });
        const rows = [
          about('give-begun', 'run00001', '1'),
          about('give-begun', 'run00001', '2'),
          about('give-begun', 'run00001', '3'),
          entry,
          about('given', 'run00001', '1'),
          about('refused', 'run00002', '2'),
          elsewhere,
          auditRow('admitted', { account: '4' }),
        ];
        await gating.audit(rows);
        const [, second, third, , first, other, , admitted] = rows;
        const told = [admitted, other, first, third, second];
        expect(await gating.logOf(HOME, undefined, ALL, 0)).toEqual(told);
        // Also page by page: each page is full, and no row is on two of them.
        expect(await gating.logOf(HOME, undefined, 2, 0)).toEqual(told.slice(0, 2));
        expect(await gating.logOf(HOME, undefined, 2, 2)).toEqual(told.slice(2, 4));
        expect(await gating.logOf(HOME, undefined, 2, 4)).toEqual(told.slice(4));
        expect(await gating.logOf(HOME, '1', ALL, 0)).toEqual([first]);
        expect(await gating.logOf(HOME, '3', ALL, 0)).toEqual([third]);
      });

      it("outlives everything that it's about", async () => {
        await gating.putRule(ruleOf('aaaa'));
        await gating.beginRun(runOf('run00001'));
        await gating.noteMembers(HOME, ['1']);
        const rows = [
          auditRow('rule-added', { rule: 'aaaa', by: 'discord:9' }),
          auditRow('given', { run: 'run00001', rule: 'aaaa', account: '1', detail: 'Whale' }),
        ];
        await gating.audit(rows);
        await gating.removeRule(HOME, 'aaaa');
        await gating.forgetMember(HOME, '1');
        await gating.endRun('run00001', 'undone', NO_COUNTS, NOW);
        expect(await auditOf()).toEqual(rows.toReversed());
      });
    });
  });
}

/** Runs something that must be refused, synchronously or later. */
async function refused(work: () => unknown): Promise<void> {
  await expect(Promise.try(work)).rejects.toThrow(Error);
}
