import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { acceptingInOrder, acceptingTwo, wanting } from '../../support/contracts.ts';
import { openEthereumNode } from '../../support/ethereum-node.ts';
import { challengeOf, outcomeOf, proverOf } from './signing.ts';

const of = (pair: string) => pair.repeat(65);

async function scene(code: `0x${string}`) {
  const node = await openEthereumNode();
  const prover = proverOf('ethereum', { ethereumRpcUrl: node.url });
  const challenge = challengeOf(prover, getAddress(await node.deploy(code)));
  const check = async (hex: string) =>
    await prover.check(challenge, { form: undefined, signature: `0x${hex}` });
  return { node, prover, challenge, check };
}

it('Owners’ signatures prove a contract in whatever order they were pasted, and are kept in its own', async () => {
  const { prover, challenge, check } = await scene(acceptingInOrder);
  for (const pasted of [of('11') + of('22'), of('22') + of('11')]) {
    const proof = await check(pasted);
    expect(proof).toMatchObject({ by: 'contract', evidence: `0x${of('11')}${of('22')}` });
    expect(await prover.stillHolds({ ...proof, text: challenge.text })).toBe(true);
  }
  // None of these is an order that the contract accepts.
  for (const pasted of [of('22') + of('33'), of('11'), of('11') + of('22').slice(2)]) {
    expect(await outcomeOf(() => check(pasted))).not.toBe('contract');
  }
});

it('A contract is asked about six orders at most, and about equal signatures once', async () => {
  const { node, check } = await scene(wanting(2));
  const asked = async (hex: string) => {
    const before = node.asked.length;
    expect(await outcomeOf(() => check(hex))).toBe('contract-refused');
    return node.asked.length - before;
  };
  // Which chain it is on is asked about first of all.
  await asked(of('11').repeat(2));
  const once = await asked(of('11').repeat(2));
  expect(await asked(of('11').repeat(3))).toBe(once);
  expect(await asked(of('11') + of('22'))).toBeGreaterThan(once);
  expect(await asked([1, 2, 3, 4].map((each) => of(`1${each}`)).join(''))).toBe(once);
});

it('A contract that accepts an order is not asked about another', async () => {
  const { node, check } = await scene(acceptingTwo);
  const asked = async (hex: string) => {
    const before = node.asked.length;
    await check(hex);
    return node.asked.length - before;
  };
  await asked(of('11') + of('22'));
  expect(await asked(of('22') + of('11'))).toBe(await asked(of('33').repeat(2)));
});
