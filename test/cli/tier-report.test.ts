import { expect, it } from 'vitest';
import { tierReport } from '#cli/rules/tiers';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';

it('Tiers are shown with their shares, and thresholds that fit a young community', () => {
  const counts = new Map(Array.from({ length: 240 }, (_, i) => [i, i < 200 ? 5 : 1]));
  expect(tierReport(counts, DEFAULT_THRESHOLDS)).toBe(`1,040 wallets by tier:
tier      from  wallets   share
Titan    9,000        0    0.0%
Whale    5,000        0    0.0%
Shark    2,000        0    0.0%
Dolphin    500        0    0.0%
Shrimp       0    1,040  100.0%  ██████████████████████████████

Thresholds by share (1%, 5%, 15%, 40% and the rest; wallets with equal scores stay together):
tier     from  wallets  share
Titan     230       10   1.0%  ▌
Whale     198       40   3.8%  █▉
Shark     177      105  10.1%  █████
Dolphin   125      260  25.0%  ████████████▌
Shrimp      0      625  60.1%  ██████████████████████████████

TIERS=titan=230,whale=198,shark=177,dolphin=125
That line is for your settings; --write-tiers puts it into .env.
`);
});

it('Tiers of a tiny community come with a warning, and without an offer where none is honest', () => {
  const counts = new Map([10, 20, 30, 40, 50].map((score) => [score, 1]));
  expect(tierReport(counts, DEFAULT_THRESHOLDS)).toContain(
    'With so few wallets, these are far from exact',
  );
  const same = tierReport(new Map([[25, 300]]), DEFAULT_THRESHOLDS);
  expect(same).toContain('need four different scores above 0, and there is 1.');
  expect(same).not.toContain('TIERS=');
  expect(same).toContain('set TIERS yourself; the highest score is 25.');
  expect(tierReport(new Map(), DEFAULT_THRESHOLDS)).toBe('No wallet has a score yet.\n');
});

it('A tier with few of many wallets doesn’t look empty', () => {
  const report = tierReport(
    new Map([
      [9_000, 1],
      [1, 100_000],
    ]),
    DEFAULT_THRESHOLDS,
  );
  expect(report).toMatch(/^Titan +9,000 +1 +<0\.1% {2}▏$/m);
});

it('Thresholds that fit already are not offered again', () => {
  const counts = new Map([1, 2, 3, 4].map((score) => [score, 1]));
  const fit = { titan: 4, whale: 3, shark: 2, dolphin: 1 };
  expect(tierReport(counts, fit)).not.toContain('TIERS=');
});
