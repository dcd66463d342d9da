import { expect, it } from 'vitest';
import { ExplorerLinks, parseExplorers } from '#reputation/explorer-links';

const links = new ExplorerLinks();

it.each([
  [links.transaction('eip155:1', '0xab'), 'https://etherscan.io/tx/0xab'],
  [links.address('eip155:100', '0xAB'), 'https://gnosisscan.io/address/0xAB'],
  [links.transaction('solana', '5Ab'), 'https://explorer.solana.com/tx/5Ab'],
  [links.address('algorand', 'AB2'), 'https://allo.info/account/AB2'],
  [
    links.proposal('snapshot', 'reef.eth', '0xab'),
    'https://snapshot.org/#/s:reef.eth/proposal/0xab',
  ],
  [links.transaction('snapshot', '0xab'), undefined],
  [links.transaction('eip155:424242', '0xab'), undefined],
  [links.proposal('eip155:1', 'a', 'b'), undefined],
])('An explorer link leads to a page of each chain: %s', (link, expected) => {
  expect(link).toBe(expected);
});

it('An explorer link keeps every character of an id in its place in the URL', () => {
  expect(links.transaction('eip155:1', '../a?b=c#d"><script>{address}')).toBe(
    'https://etherscan.io/tx/..%2Fa%3Fb%3Dc%23d%22%3E%3Cscript%3E%7Baddress%7D',
  );
  expect(links.transaction('solana', '\ud800')).toBe('https://explorer.solana.com/tx/%EF%BF%BD');
});

it('An explorer link prefers configured explorers, page by page', () => {
  const own = new ExplorerLinks(
    parseExplorers(
      'eip155:424242=https://scan.example.org/tx/{transaction}, solana=https://solscan.io/account/{address},eip155:424242=https://scan.example.org/a/{address}',
    ),
  );
  expect(own.transaction('eip155:424242', '0xab')).toBe('https://scan.example.org/tx/0xab');
  expect(own.address('eip155:424242', '0xab')).toBe('https://scan.example.org/a/0xab');
  expect(own.address('solana', '5Ab')).toBe('https://solscan.io/account/5Ab');
  expect(own.transaction('solana', '5Ab')).toBe('https://explorer.solana.com/tx/5Ab');
});

it.each([
  '',
  'etherscan.io',
  'eip155:1=etherscan.io/tx/{transaction}',
  'eip155:1=javascript:alert({transaction})',
  'eip155:1=https://etherscan.io/tx/',
  'eip155:1=https://etherscan.io/{transaction}/{address}',
  'eip155:1=https://etherscan.io/tx/{hash}',
  'snapshot=https://snapshot.org/{proposal}',
  'bitcoin=https://example.org/{transaction}',
  'solana=https://solscan.io/tx/{transaction},',
])('An explorer link says what to write instead of "%s"', (text) => {
  expect(() => parseExplorers(text)).toThrow('must be chains with addresses of pages');
});
