import { formatTime } from '#base/time/time';
import type { Action, Block, Card, Span } from '#command/cards/card';
import { EMBLEMS } from '#command/cards/colours';
import { renderBars, renderTable } from '#command/cards/figures';

/** Everything on a card as plain text, to compare with what was agreed. */
export function cardText(card: Card): string {
  const lines = [
    `${EMBLEMS[card.tone]} ${card.title} [${card.tone}${card.private ? ', private' : ''}]`,
    ...card.blocks.flatMap((block) => ['', ...blockLines(block)]),
    '',
    ...card.actions.map((row) => row.map(buttonText).join(' ')),
  ];
  if (card.menu !== undefined) {
    lines.push(`menu ${card.menu.placeholder}`);
    for (const { label, detail, call } of card.menu.choices) {
      lines.push(`  ${label} (${detail}) → ${callText(call)}`);
    }
  }
  if (card.file !== undefined) {
    const { name, text, about } = card.file;
    lines.push(`file ${name} (${text.length})${about === undefined ? '' : `: ${about}`}`);
  }
  if (card.footer.length > 0) lines.push(`footer ${spansText(card.footer)}`);
  return `${lines.join('\n')}\n`;
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return [spansText(block.spans)];
    case 'heading':
      return [`*${block.text}*`];
    case 'facts':
      return block.facts.map(({ label, value }) => `${label}: ${spansText(value)}`);
    case 'progress':
      return [`progress ${block.fraction.toFixed(3)} ${spansText(block.spans)}`];
    case 'bars':
      return renderBars(block.bars).map((line) => `| ${line}`);
    case 'entries':
      return block.entries.flatMap(({ title, detail }) => [
        `- ${spansText(title)}`,
        ...(detail.length > 0 ? [`  ${spansText(detail)}`] : []),
      ]);
    case 'preformatted':
      return block.text.split('\n').map((line) => `= ${line}`);
    case 'table':
      return renderTable(block.columns, block.rows).map((line) => `| ${line}`);
  }
}

export function spansText(spans: readonly Span[]): string {
  return spans.map(spanText).join('');
}

function spanText(span: Span): string {
  if (typeof span === 'string') return span;
  if ('bold' in span) return `*${span.bold}*`;
  if ('italic' in span) return `_${span.italic}_`;
  if ('code' in span) return `\`${span.code}\``;
  if ('link' in span) return `[${span.link}](${span.url})`;
  if ('member' in span) return `@${span.member}`;
  if ('channel' in span) return `#${span.channel}`;
  return `<${span.style} ${formatTime(span.time)}>`;
}

function buttonText(action: Action): string {
  return `[${action.label} → ${targetText(action)}]`;
}

function targetText(action: Action): string {
  if ('url' in action) return action.url;
  if ('call' in action) return callText(action.call);
  return `${callText(action.form.call)} ${action.form.option}=…`;
}

function callText({ command, args }: { command: string; args: object }): string {
  return [command, ...Object.entries(args).map(([name, value]) => `${name}=${value}`)].join(' ');
}
