import type { Action, Block, Card } from '#command';
import type { Texts } from '#command/texts';
import type { WalletMode } from '#gating/decide/counted-wallets';
import { needsOf } from '#gating/rules/describe';
import { ENTRY, type Rule } from '#gating/rules/rule';

/** How rules apply in a community. */
export interface PanelTerms {
  readonly isLadder: boolean;
  readonly walletMode: WalletMode;
}

/** What everybody can read of a community's rules, with buttons that answer whoever presses them. */
export function panelCard(
  rules: readonly Rule[],
  { isLadder, walletMode }: PanelTerms,
  texts: Texts,
): Card {
  const { panel } = texts;
  const open = rules.filter(({ isHidden }) => isHidden !== true);
  const shown = open.filter(({ paused }) => paused === undefined);
  const said = (sentence: string): Block => ({ kind: 'text', spans: [{ italic: sentence }] });
  const entries = shown.map((rule) => ({
    title: [{ bold: nameOf(rule, texts) }, ` · ${needsOf(rule, texts)}`],
    detail: [],
  }));
  const notes = [
    ...(isLadder ? [panel.ladder] : []),
    walletMode === 'sum' ? panel.sumOfWallets : panel.oneWallet,
  ];
  return {
    tone: 'plain',
    title: panel.title,
    blocks:
      shown.length === 0
        ? [{ kind: 'text', spans: [open.length === 0 ? panel.none : panel.paused] }]
        : [{ kind: 'entries', entries }, said(notes.join(' ')), said(panel.how)],
    actions: [
      [
        buttonOf(panel.link, 'link'),
        buttonOf(panel.access, 'access'),
        buttonOf(panel.reputation, 'rep'),
      ],
    ],
    menu: undefined,
    footer: [],
    private: false,
    language: texts.language,
  };
}

function buttonOf(label: string, command: string): Action {
  return { label, call: { command, args: {} }, forPresser: true };
}

function nameOf({ grant, grantName }: Rule, { access, gate }: Texts): string {
  if (grant !== ENTRY) return grantName;
  return grantName === '' ? gate.entry : access.entryTo(grantName);
}
