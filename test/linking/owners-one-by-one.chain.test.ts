import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import type { UserError } from '#base/errors';
import { acceptingTwo, wanting } from '../support/contracts.ts';
import { openEthereumNode } from '../support/ethereum-node.ts';
import { ALICE, ticketOf } from '../support/link-scene.ts';
import { linkingWith } from '../support/linking.ts';

/* Owners of a contract wallet who hand in their signatures one after the other. */

const [ONE, TWO, THREE, FOUR] = ['11', '22', '33', '44'].map((byte) => byte.repeat(65));
const signed = (...owners: (string | undefined)[]) => `0x${owners.join('')}`;

async function scene(code: `0x${string}`) {
  const node = await openEthereumNode();
  const address = getAddress(await node.deploy(code));
  const linking = linkingWith({
    config: { ethereumRpcUrl: node.url, algorandIndexerUrl: undefined },
  });
  const links = linking.of(ALICE);
  const { text } = await links.beginByHand({ chain: 'ethereum', address });
  /** Why it's refused, with who has signed and who has to. */
  const refusalOf = async (signature: string) => {
    const error = (await links.handIn(signature).catch((thrown: unknown) => thrown)) as UserError;
    return [error.code, ...(error.values ?? [])];
  };
  return { linking, links, address, text, refusalOf };
}

it('are counted together in the chat, and link the wallet once they are enough', async () => {
  const { links, refusalOf } = await scene(acceptingTwo);
  expect(await refusalOf(signed(ONE))).toEqual(['owners-missing', '1', '2']);
  expect(await refusalOf(signed(ONE))).toEqual(['owners-missing', '1', '2']);
  expect((await links.handIn(signed(TWO))).outcome.kind).toBe('linked');
});

it('are counted together on the page', async () => {
  const { linking, links, address } = await scene(acceptingTwo);
  const { url } = await links.begin();
  const { session } = await linking.page.open(ticketOf(url), undefined);
  await linking.page.challenge(session, address);
  const prove = (signature: string) => linking.page.prove(session, { form: undefined, signature });
  await expect(prove(signed(ONE))).rejects.toMatchObject({ code: 'owners-missing' });
  expect(await prove(signed(TWO))).toMatchObject({ code: expect.any(String) });
});

it('stay counted with the same text, beside those that come with others’', async () => {
  const { links, address, text, refusalOf } = await scene(wanting(3));
  expect(await refusalOf(signed(ONE))).toEqual(['owners-missing', '1', '3']);
  const again = await links.beginByHand({ chain: 'ethereum', address });
  expect(again.text).toBe(text);
  expect(await refusalOf(signed(ONE, TWO))).toEqual(['owners-missing', '2', '3']);
  expect(await refusalOf(signed(TWO))).toEqual(['owners-missing', '2', '3']);
});

it('begin anew where the contract rejects them together, as one of them must be wrong', async () => {
  const { refusalOf } = await scene(wanting(2));
  await refusalOf(signed(ONE));
  expect(await refusalOf(signed(TWO))).toEqual(['contract-refused']);
  expect(await refusalOf(signed(TWO))).toEqual(['owners-missing', '1', '2']);
});

it('count alone where there are more than have an order that can be found', async () => {
  const { refusalOf } = await scene(wanting(4));
  for (const [i, owner] of [ONE, TWO, THREE].entries()) {
    expect(await refusalOf(signed(owner))).toEqual(['owners-missing', String(i + 1), '4']);
  }
  expect(await refusalOf(signed(FOUR))).toEqual(['owners-missing', '1', '4']);
});
