import { expect, it, vi } from 'vitest';
import { ClockCheck, knownElapsed } from '#cluster/clock-check';
import { silentLog } from '../support/log.ts';

const NOW = 1_800_000_000;

/** @returns `hear`: a heartbeat is answered while the machine's clock is ahead by so many seconds */
function checked() {
  let told: ((notices: ReadonlySet<string>, at: number) => void) | undefined;
  const [error, info] = [vi.fn(), vi.fn()];
  let ahead = 0;
  const said = new Set<string>();
  const replica = {
    isClockDoubted: false,
    isAside: false,
    announce(notice: string, isAnnounced: boolean) {
      if (isAnnounced) said.add(notice);
      else said.delete(notice);
    },
    standAside(reason: string, isReason: boolean) {
      expect(reason).toBe('clock');
      replica.isAside = isReason;
    },
    onNotices(listen: NonNullable<typeof told>) {
      told = listen;
    },
  };
  const check = new ClockCheck(replica, { ...silentLog, error, info }, () => NOW + ahead);
  const hear = (by: number, notices: ReadonlySet<string> = new Set()) => {
    ahead = by;
    told?.(notices, NOW);
    return check.fault;
  };
  return { hear, error, info, replica, said };
}

it.each([
  [3_600, "this machine's clock is 60 min ahead of the database's"],
  [-3_600, "this machine's clock is 60 min behind the database's"],
])('A clock that is off by %d seconds is told once, until it is right again', (by, fault) => {
  const { hear, error, info } = checked();
  expect([hear(0), hear(by), hear(by), hear(by)]).toEqual([undefined, undefined, fault, fault]);
  expect(error).toHaveBeenCalledTimes(1);
  expect(hear(2)).toBeUndefined();
  expect(info).toHaveBeenCalledTimes(1);
});

it('A clock is right although a single reply waited, as of a suspended process', () => {
  const { hear, error } = checked();
  expect([hear(59), hear(600), hear(0), hear(600), hear(-59)]).toEqual(Array(5).fill(undefined));
  expect(error).not.toHaveBeenCalled();
});

it('Nothing is known to have elapsed from the first wrong reply on, until the clock is right', () => {
  const { hear, replica } = checked();
  const elapsed = knownElapsed(replica, (from, to) => to - from);
  const known = (by: number) => {
    hear(by);
    return elapsed(NOW - 500, NOW);
  };
  expect([known(3_600), known(-3_600), known(60)]).toEqual([0, 0, 500]);
});

it('A replica whose clock is wrong leaves the work to others while the clock of one is right, and to nobody otherwise', () => {
  const [wrong, right] = [checked(), checked()];
  right.hear(1);
  const aside = (by: number, notices?: ReadonlySet<string>) => {
    wrong.hear(by, notices);
    return wrong.replica.isAside;
  };
  expect([aside(600), aside(600), wrong.said.size]).toEqual([false, false, 0]);
  expect([aside(600, right.said), aside(600), aside(600, right.said)]).toEqual([true, false, true]);
  right.hear(-900);
  expect(aside(600, right.said)).toBe(false);
  expect([aside(0, right.said), wrong.said.size]).toEqual([false, 1]);
});

it('A replica with a wrong clock leaves nothing to one with a right clock that itself stands aside', () => {
  const [wrong, other] = [checked(), checked()];
  other.replica.isAside = true;
  other.replica.standAside = () => undefined;
  other.hear(0);
  wrong.hear(600);
  wrong.hear(600, other.said);
  expect(wrong.replica.isAside).toBe(false);
});
