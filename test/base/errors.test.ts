import { expect, it } from 'vitest';
import { sentenceOf } from '#base/errors';

it.each(['ENOENT: no such file', 'Free up space there.'])(
  '%j has one period at its end where more is said behind it',
  (words) => {
    expect(sentenceOf(new Error(words))).toMatch(/[^.]\.$/);
  },
);
