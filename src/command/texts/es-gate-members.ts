import type { GateMembersTexts } from './en-gate-members.ts';

export const esGateMembers: GateMembersTexts = {
  warningTitle: 'Puede que pierdas el acceso pronto',
  warning: (grant) =>
    `Tus carteras vinculadas ya no cumplen los requisitos de «${grant}». Si no cambia, lo perderás después del`,
  warningNext:
    '/wallets muestra tus carteras vinculadas; con /link puedes añadir en cualquier momento una que los cumpla.',
  linkTitle: 'Enlace de invitación',
  linkAbout:
    'Quien abre este enlace solicita entrar, y las reglas admiten a quien cumple los requisitos. No cambia hasta que lo renueves o un administrador lo revoque.',
  linkRenewed: 'Este es el enlace nuevo. El anterior ya no funciona.',
  linkNone:
    'No hay enlace. En un grupo o canal de Telegram, el bot necesita el permiso «Invitar con un enlace» para crearlo; los roles de Discord no lo necesitan.',
  linkRenew: 'Enlace nuevo',
  joinTitle: 'Has pedido entrar',
  joinAdmitted: 'Tu cartera cumple los requisitos: ya estás dentro.',
  joinLacks: (needs) => `Para entrar hace falta: ${needs}.`,
  joinNoWallet:
    'Aún no has vinculado ninguna cartera. Escribe aquí /link y demuestra que una es tuya: si cumple los requisitos, entrarás automáticamente.',
  joinLink:
    'Tu solicitud sigue abierta. Si tu cartera cumple los requisitos más adelante, o añades otra que los cumpla con /link, entrarás automáticamente.',
  joinPaused:
    'Ahora mismo el bot no admite miembros automáticamente. Tu solicitud sigue abierta y la revisaremos cuando vuelva a hacerlo.',
  waitingToJoin: (count) => `Esperan para entrar: ${count}.`,
  joinBarred:
    'Los moderadores han decidido no admitirte. Solo ellos pueden cambiarlo; habla con uno.',
  joinRefused:
    'Cumples los requisitos, pero Telegram no ha permitido al bot dejarte entrar. Tu solicitud sigue abierta y lo intentaremos de nuevo.',
  joinBlocked: {
    'too-many-communities':
      'Cumples los requisitos, pero estás en tantos grupos y canales como permite Telegram. Sal de uno y envía /start aquí: se te admitirá.',
  },
  joinUnknown:
    'Ahora mismo no hay datos disponibles. Tu solicitud sigue abierta y la revisaremos automáticamente.',
};
