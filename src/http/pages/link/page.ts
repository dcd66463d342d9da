import type { FastifyInstance } from 'fastify';
import { createDocument } from '#http/pages/document';
import { escapeHtml, languageLinks } from '#http/pages/html';
import type { Words } from '#http/pages/words/index';
import { ADDRESS_MAX } from './request.ts';
import { LINK_PATH } from './session.ts';

/** The page's settings for WalletConnect. */
export interface WalletConnectSettings {
  readonly projectId: string;
  /** The relay's `wss:` URL. */
  readonly relayUrl: string;
}

/** The numbered steps; choosing an address and waiting belong to the second and third. */
const STEPS = 4;

/**
 * The page in one language. It contains all steps, all but the first hidden: the script shows one at a time
 * and fills in values.
 */
export function renderLinkPage(words: Words, walletConnect?: WalletConnectSettings): string {
  const { link } = words;
  const {
    start,
    apps,
    scan,
    account,
    wallets,
    addresses,
    sign,
    waiting,
    checking,
    done,
    used,
    elsewhere,
    pair,
  } = link;
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(link.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINK_PATH}/icon.svg">
<link rel="stylesheet" href="${LINK_PATH}/base.css">
<link rel="stylesheet" href="${LINK_PATH}/link.css">
<script type="module" src="${LINK_PATH}/app.js"></script>
</head>
<body data-words='${singleQuoted(JSON.stringify(link.browser))}'${walletConnect === undefined ? '' : ` data-walletconnect='${singleQuoted(JSON.stringify(walletConnect))}'`}>
<header class="bar">
<a class="brand" href="/"><img src="${LINK_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links" aria-label="${escapeHtml(words.page.languages)}">${languageLinks(words, LINK_PATH)}</nav>
</header>
<main>
<h1>${escapeHtml(link.headline)}</h1>
<noscript><aside>${escapeHtml(link.noScript)}</aside></noscript>
<p id="status" class="unseen" role="status"></p>
<aside id="account" hidden>
<h2>${escapeHtml(account.title)}</h2>
<div class="who"><span id="avatar"></span>
<p><strong><bdi id="handle"></bdi></strong> · <span id="platform"></span>
<small id="about-account" class="more"><span id="alias">${escapeHtml(account.displayName)} <bdi id="name"></bdi><br></span><span id="number">${escapeHtml(link.browser.id)} <span id="id"></span></span></small></p></div>
<p class="more">${escapeHtml(account.notYours)}</p>
</aside>
${step(
  'start',
  start.title,
  `${[link.lead, ...start.points].map((point) => `<p>${escapeHtml(point)}</p>`).join('\n')}
${next(`<button class="go">${escapeHtml(start.go)}</button>`)}`,
  counted(link.step, 1),
)}
${step(
  'apps',
  apps.title,
  `<ul id="apps-list" class="choices"></ul>
${walletConnect === undefined ? '' : `<button class="quiet connect">${escapeHtml(apps.connect)}</button>`}
<p>${escapeHtml(apps.about)}</p>
<button class="quiet go">${escapeHtml(apps.other)}</button>
<p>${escapeHtml(start.points.join(' '))}</p>`,
  counted(link.step, 1),
)}
${step(
  'scan',
  scan.title,
  `<div class="scan"><div id="scan-code"></div>
<div><p>${escapeHtml(scan.about)}</p>
<button class="quiet go">${escapeHtml(scan.other)}</button></div></div>
<p>${escapeHtml(start.points.join(' '))}</p>`,
  counted(link.step, 1),
)}
${step(
  'wallets',
  wallets.title,
  `<ul id="found" class="choices"></ul>
<p id="none">${escapeHtml(wallets.none)}</p>
<button id="again" class="quiet">${escapeHtml(wallets.again)}</button>
<details id="by-hand">
<summary>${escapeHtml(wallets.missing)}</summary>
<p>${escapeHtml(wallets.byHand)}</p>
<form id="by-address">
<label for="typed">${escapeHtml(wallets.address)}</label>
<input id="typed" maxlength="${ADDRESS_MAX}" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<button>${escapeHtml(wallets.showText)}</button>
</form>
</details>`,
  counted(link.step, 2),
)}
${step(
  'addresses',
  addresses.title,
  `<ul id="accounts" class="choices"></ul>
${back(sign.back)}`,
  counted(link.step, 2),
)}
${step(
  'sign',
  sign.title,
  `<p class="wallet">${escapeHtml(sign.about)}</p>
<p class="hand">${escapeHtml(sign.byHand)}</p>
<pre id="text"></pre>
<p id="caveat"></p>
<div class="wallet">
<label id="cannot-row" class="check"><input type="checkbox" id="cannot"><span>${escapeHtml(sign.cannot)} <small>${escapeHtml(sign.cannotAbout)}</small></span></label>
</div>
${next('<button id="ask"></button>', 'wallet')}
${next(`<button data-copy="text">${escapeHtml(sign.copyText)}</button>`, 'hand')}
<div class="hand">
<details id="as-transaction">
<summary>${escapeHtml(sign.transaction)}</summary>
<p>${escapeHtml(sign.transactionAbout)}</p>
<pre id="transaction"></pre>
<button class="quiet" data-copy="transaction">${escapeHtml(sign.copyTransaction)}</button>
</details>
<form id="by-signature">
<label for="signature">${escapeHtml(sign.signature)}</label>
<textarea id="signature" rows="4" spellcheck="false" required></textarea>
<button>${escapeHtml(sign.handIn)}</button>
</form>
</div>
${back(sign.back)}`,
  counted(link.step, 3),
)}
${step(
  'waiting',
  waiting.title,
  `<p>${escapeHtml(waiting.about)}</p>
<button class="quiet cancel">${escapeHtml(waiting.cancel)}</button>`,
)}
${walletConnect === undefined ? '' : step('pair', pair.title, pairing(words))}
${step(
  'done',
  done.title,
  `<p id="code"></p>
<p id="type"></p>
<p>${escapeHtml(done.about)} <strong>${escapeHtml(done.secret)}</strong></p>
${next(`<button data-copy="code">${escapeHtml(done.copy)}</button>`)}`,
  counted(link.step, 4),
)}
${step(
  'checking',
  checking.title,
  `<p>${escapeHtml(checking.about)}</p>
<p id="checking-until"></p>
<button class="try-now">${escapeHtml(checking.again)}</button>
<button class="quiet leave">${escapeHtml(sign.back)}</button>`,
)}
${step('used', used.title, `<p>${escapeHtml(used.about)}</p>`)}
${step('elsewhere', elsewhere.title, `<p>${escapeHtml(elsewhere.about)}</p>`)}
${step('over', link.over.title, '')}
</main>
<template id="app"><li><a class="button"><b></b><small></small></a></li></template>
<template id="choice"><li><button><img alt="" width="32" height="32"><bdi></bdi><small></small></button></template>
</body>
</html>
`;
}

/** A step: its number, a title that gets the focus, and a place for errors. */
function step(id: string, title: string, content: string, number = ''): string {
  return `<section id="${id}" hidden>
${number === '' ? '' : `<p class="number">${escapeHtml(number)}</p>\n`}<h2>${escapeHtml(title)}</h2>
<p role="alert"></p>
${content}</section>`;
}

function counted(sentence: string, number: number): string {
  return sentence.replace('{}', String(number)).replace('{}', String(STEPS));
}

/** How to connect a wallet on a phone: from the same phone by a link, from elsewhere by the QR code. */
function pairing({ link: { pair, waiting } }: Words): string {
  const app = (id: string, name: string, detail: string) =>
    `<li><a id="pair-${id}" class="button"><b>${escapeHtml(name)}</b><small>${escapeHtml(detail)}</small></a></li>`;
  return `<ul class="choices">${app('pera', 'Pera Wallet', 'Algorand')}${app('defly', 'Defly', 'Algorand')}${app('other', pair.other, '')}</ul>
<div class="scan"><div id="pair-code"></div>
<div><p>${escapeHtml(pair.about)}</p>
<p id="pair-uri" class="unseen"></p>
<button class="quiet" data-copy="pair-uri">${escapeHtml(pair.copy)}</button>
<button class="quiet cancel">${escapeHtml(waiting.cancel)}</button></div></div>`;
}

/** The main button stays in view, however long the step and small the screen. */
function next(button: string, kind = ''): string {
  return `<div class="next ${kind}">${button}</div>`;
}

function back(label: string): string {
  return `<button class="quiet back">${escapeHtml(label)}</button>`;
}

/** JSON has so many double quotes that it's shorter not to escape them. */
function singleQuoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;');
}

/** A page for mistyped or truncated URLs below the page's own. */
export function addNotFoundPage(scope: FastifyInstance): void {
  const page = createDocument({ render: renderNotFoundPage, formAction: "'none'" });
  scope.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: `${LINK_PATH}/*`,
    handler(request, reply) {
      // A browser keeps the fragment across the redirect.
      if (request.params['*'] === '') return reply.redirect(LINK_PATH, 302);
      return page(request, reply.code(404).header('X-Robots-Tag', 'noindex'));
    },
  });
}

function renderNotFoundPage(words: Words): string {
  const { lost } = words.link;
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(lost.title)} · Fathom</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINK_PATH}/icon.svg">
<link rel="stylesheet" href="${LINK_PATH}/base.css">
<link rel="stylesheet" href="${LINK_PATH}/link.css">
</head>
<body data-step="start">
<header class="bar">
<a class="brand" href="/"><img src="${LINK_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links" aria-label="${escapeHtml(words.page.languages)}">${languageLinks(words, '')}</nav>
</header>
<main>
<h1>${escapeHtml(lost.title)}</h1>
<p>${escapeHtml(lost.about)}</p>
</main>
</body>
</html>
`;
}
