import type { PlatformTraits } from '#base';

/** What moderators can do, and what they call it. */
export const ACTIONS = [
  'add',
  'list',
  'edit',
  'remove',
  'pause',
  'resume',
  'preview',
  'run',
  'stop',
  'undo',
  'why',
  'log',
  'protect',
  'unprotect',
  'bar',
  'unbar',
  'channel',
  'setup',
  'ladder',
  'language',
  'wallets',
  'link',
  'renew',
  'confirm',
  'accept',
  'announce',
  'panel',
  'digest',
] as const;
export type GateAction = (typeof ACTIONS)[number];

/** All others change something, of which the log tells. */
export const READS: readonly GateAction[] = ['list', 'preview', 'why', 'log', 'link'];

/** Those that aren't of use everywhere. */
export const ONLY_FOR: Partial<Record<GateAction, readonly PlatformTraits['grants'][]>> = {
  setup: ['role'],
  ladder: ['role'],
  link: ['entry'],
  renew: ['entry'],
  confirm: [],
};

/** What moderators call an action besides. */
export const ALSO: Partial<Record<GateAction, readonly string[]>> = {
  add: ['agregar', 'añade', 'agrega'],
  edit: ['edita', 'cambiar', 'cambia'],
  remove: ['delete', 'quitar', 'quita', 'borrar', 'borra', 'elimina'],
  pause: ['pausa'],
  resume: ['reanuda'],
  preview: ['vista previa'],
  run: ['ejecuta'],
  stop: ['parar', 'para', 'detén'],
  undo: ['deshaz'],
  why: ['porqué', 'por qué'],
  log: ['history', 'registro'],
  list: ['rules', 'reglas', 'listar'],
  protect: ['protege'],
  unprotect: ['desprotege'],
  bar: ['veta', 'bloquear', 'bloquea'],
  unbar: ['desveta', 'desbloquear', 'desbloquea', 'unban', 'desbanear', 'desbanea'],
  setup: ['configura', 'configuración'],
  announce: ['announcements', 'anuncia', 'anuncios'],
};

/** What moderators decide about a member; of their reasons, nothing is kept. */
export const ABOUT_ONE: readonly GateAction[] = ['bar', 'unbar', 'protect', 'unprotect'];

/** What only the chat itself does. */
export const BANS = [
  ...['ban', 'kick', 'mute', 'timeout', 'banear', 'banea', 'baneo', 'bannear', 'kickear', 'kickea'],
  ...['expulsar', 'expulsa', 'echar', 'echa', 'silenciar', 'silencia'],
];
