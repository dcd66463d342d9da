import type { FastifyInstance } from 'fastify';
import { Html, html, NOTHING } from '#base';
import { createDocument, languageLinks } from '#http/pages/document';
import type { Words } from '#http/pages/words/index';
import { ADDRESS_MAX, LINK_PATH } from './request.ts';

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
    owners,
    done,
    used,
    elsewhere,
    pair,
  } = link;
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${link.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINK_PATH}/icon.svg">
<link rel="stylesheet" href="${LINK_PATH}/base.css">
<link rel="stylesheet" href="${LINK_PATH}/link.css">
<script type="module" src="${LINK_PATH}/app.js"></script>
</head>
<body data-words='${singleQuoted(link.browser)}'${walletConnect === undefined ? undefined : html` data-walletconnect='${singleQuoted(walletConnect)}'`}>
<header class="bar">
<a class="brand" href="/"><img src="${LINK_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links" aria-label="${words.page.languages}">${languageLinks(words, (language) => `${LINK_PATH}?lang=${language}`)}</nav>
</header>
<main>
<h1>${link.headline}</h1>
<noscript><aside>${link.noScript}</aside></noscript>
<p id="status" class="unseen" role="status"></p>
<aside id="account" hidden>
<h2>${account.title}</h2>
<div class="who"><span id="avatar"></span>
<p><strong><bdi id="handle"></bdi></strong> · <span id="platform"></span>
<small id="about-account" class="more"><span id="alias">${account.displayName} <bdi id="name"></bdi><br></span><span id="number">${link.browser.id} <span id="id"></span></span></small></p></div>
<p class="more">${account.notYours}</p>
</aside>
${step(
  'start',
  start.title,
  html`${[link.lead, ...start.points].map((point) => html`<p>${point}</p>`)}
${next(html`<button class="go">${start.go}</button>`)}`,
  counted(link.step, 1),
)}
${step(
  'apps',
  apps.title,
  html`<ul id="apps-list" class="choices"></ul>
${walletConnect === undefined ? undefined : html`<button class="quiet connect">${apps.connect}</button>`}
<p>${apps.about}</p>
<button class="quiet go">${apps.other}</button>
<p>${start.points.join(' ')}</p>`,
  counted(link.step, 1),
)}
${step(
  'scan',
  scan.title,
  html`<div class="scan"><div id="scan-code"></div>
<div><p>${scan.about}</p>
<button class="quiet go">${scan.other}</button></div></div>
<p>${start.points.join(' ')}</p>`,
  counted(link.step, 1),
)}
${step(
  'wallets',
  wallets.title,
  html`<ul id="found" class="choices"></ul>
<p id="none">${wallets.none}</p>
<button id="again" class="quiet">${wallets.again}</button>
<details id="by-hand">
<summary>${wallets.missing}</summary>
<p>${wallets.byHand}</p>
<form id="by-address">
<label for="typed">${wallets.address}</label>
<input id="typed" maxlength="${ADDRESS_MAX}" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<button>${wallets.showText}</button>
</form>
</details>`,
  counted(link.step, 2),
)}
${step(
  'addresses',
  addresses.title,
  html`<ul id="accounts" class="choices"></ul>
${back(sign.back)}`,
  counted(link.step, 2),
)}
${step(
  'sign',
  sign.title,
  html`<p class="wallet">${sign.about}</p>
<p class="hand">${sign.byHand}</p>
<pre id="text"></pre>
<p id="caveat"></p>
<div class="wallet">
<label id="cannot-row" class="check"><input type="checkbox" id="cannot"><span>${sign.cannot} <small>${sign.cannotAbout}</small></span></label>
</div>
${next(html`<button id="ask"></button>`, 'wallet')}
${next(html`<button data-copy="text">${sign.copyText}</button>`, 'hand')}
<div class="hand">
<details id="as-transaction">
<summary>${sign.transaction}</summary>
<p>${sign.transactionAbout}</p>
<pre id="transaction"></pre>
<button class="quiet" data-copy="transaction">${sign.copyTransaction}</button>
</details>
<form id="by-signature">
<label for="signature">${sign.signature}</label>
<textarea id="signature" rows="4" spellcheck="false" required></textarea>
<button>${sign.handIn}</button>
</form>
</div>
${back(sign.back)}`,
  counted(link.step, 3),
)}
${step(
  'waiting',
  waiting.title,
  html`<p>${waiting.about}</p>
<button class="quiet cancel">${waiting.cancel}</button>`,
)}
${walletConnect === undefined ? undefined : step('pair', pair.title, pairing(words))}
${step(
  'done',
  done.title,
  html`<p id="code"></p>
<p id="type"></p>
<p>${done.about} <strong>${done.secret}</strong></p>
${next(html`<button data-copy="code">${done.copy}</button>`)}`,
  counted(link.step, 4),
)}
${step('checking', checking.title, retrying('checking', checking.about, words, html`<button class="quiet leave">${sign.back}</button>`))}
${step('owners', owners.title, retrying('owners', owners.about, words, html`<button class="quiet send-more">${owners.send}</button>`))}
${step('used', used.title, html`<p>${used.about}</p>`)}
${step('elsewhere', elsewhere.title, html`<p>${elsewhere.about}</p>`)}
${step('over', link.over.title, NOTHING)}
</main>
<template id="app"><li><a class="button"><b></b><small></small></a></li></template>
<template id="choice"><li><button><img alt="" width="32" height="32"><bdi></bdi><small></small></button></template>
</body>
</html>
`.text;
}

/** A step: its number, a title that gets the focus, and a place for errors. */
function step(id: string, title: string, content: Html, number = ''): Html {
  return html`<section id="${id}" hidden>
${number === '' ? undefined : html`<p class="number">${number}</p>\n`}<h2>${title}</h2>
<p role="alert"></p>
${content}</section>`;
}

function counted(sentence: string, number: number): string {
  return sentence.replace('{}', String(number)).replace('{}', String(STEPS));
}

/** A step in which a signature is tried again and again, unless its reader goes on otherwise. */
function retrying(id: string, about: string, { link: { checking } }: Words, other: Html): Html {
  return html`<p>${about}</p>
<p id="${id}-until"></p>
<button class="try-now">${checking.again}</button>
${other}`;
}

/** How to connect a wallet on a phone: from the same phone by a link, from elsewhere by the QR code. */
function pairing({ link: { pair, waiting } }: Words): Html {
  const app = (id: string, name: string, detail: string) =>
    html`<li><a id="pair-${id}" class="button"><b>${name}</b><small>${detail}</small></a></li>`;
  return html`<ul class="choices">${app('pera', 'Pera Wallet', 'Algorand')}${app('defly', 'Defly', 'Algorand')}${app('other', pair.other, '')}</ul>
<div class="scan"><div id="pair-code"></div>
<div><p>${pair.about}</p>
<p id="pair-uri" class="unseen"></p>
<button class="quiet" data-copy="pair-uri">${pair.copy}</button>
<button class="quiet cancel">${waiting.cancel}</button></div></div>`;
}

/** The main button stays in view, however long the step and small the screen. */
function next(button: Html, kind = ''): Html {
  return html`<div class="next ${kind}">${button}</div>`;
}

function back(label: string): Html {
  return html`<button class="quiet back">${label}</button>`;
}

/** JSON has so many double quotes that it's shorter not to escape them. */
function singleQuoted(value: unknown): Html {
  const text = JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return new Html(text.replaceAll("'", '&#39;'));
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
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${lost.title} · Fathom</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${LINK_PATH}/icon.svg">
<link rel="stylesheet" href="${LINK_PATH}/base.css">
<link rel="stylesheet" href="${LINK_PATH}/link.css">
</head>
<body data-step="start">
<header class="bar">
<a class="brand" href="/"><img src="${LINK_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
<nav class="links" aria-label="${words.page.languages}">${languageLinks(words, (language) => `?lang=${language}`)}</nav>
</header>
<main>
<h1>${lost.title}</h1>
<p>${lost.about}</p>
</main>
</body>
</html>
`.text;
}
