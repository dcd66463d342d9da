import type { GateMembersTexts } from './en-gate-members.ts';

export const esGateMembers: GateMembersTexts = {
  warningTitle: 'Puede que pierdas el acceso pronto',
  warning: (grant) =>
    `Tus carteras vinculadas ya no cumplen los requisitos de «${grant}». Si no cambia, lo perderás después del`,
  warningNext:
    '/wallets muestra tus carteras vinculadas; con /link puedes añadir en cualquier momento una que los cumpla.',
  joinTitle: 'Has pedido entrar',
  joinAdmitted: 'Tu cartera cumple los requisitos de este grupo: ya estás dentro.',
  joinLacks: (needs) => `Este grupo requiere: ${needs}.`,
  joinNoWallet:
    'Aún no has vinculado ninguna cartera. Escribe aquí /link y demuestra que una es tuya: si cumple los requisitos, entrarás automáticamente.',
  joinLink:
    'Tu solicitud sigue abierta. Si tu cartera cumple los requisitos más adelante, o añades otra que los cumpla con /link, entrarás automáticamente.',
  joinPaused:
    'Ahora mismo este grupo no admite miembros automáticamente. Tu solicitud sigue abierta y la revisaremos cuando vuelva a hacerlo.',
  waitingToJoin: (count) => `Esperan para entrar: ${count}.`,
  joinBarred:
    'Los moderadores de este grupo han decidido no admitirte. Solo ellos pueden cambiarlo; habla con uno.',
  joinRefused:
    'Cumples los requisitos de este grupo, pero Telegram no ha permitido al bot dejarte entrar. Tu solicitud sigue abierta y lo intentaremos de nuevo.',
  joinBlocked: {
    'too-many-communities':
      'Cumples los requisitos de este grupo, pero estás en tantos grupos y canales como permite Telegram. Sal de uno y envía /start aquí: se te admitirá.',
  },
  joinUnknown:
    'Ahora mismo no hay datos disponibles. Tu solicitud sigue abierta y la revisaremos automáticamente.',
};
