import type { PanelTexts } from '#command/texts/en/panel';

/** The lasting message with a community's rules, in Spanish. */
export const esPanel: PanelTexts = {
  panel: {
    title: 'Lo que puedes conseguir aquí por reputación',
    how: 'Vincula una cartera: cuenta lo que ha hecho. Solo tú ves las respuestas de estos botones.',
    none: 'Ahora no hay reglas que mostrar aquí.',
    paused: 'Las reglas que se muestran aquí están en pausa: ahora no dan nada nuevo.',
    ladder: 'De los roles por nivel, solo tienes el más alto.',
    oneWallet: 'Una sola cartera debe tener todo lo que pide una regla.',
    sumOfWallets: 'Se suman todas tus carteras vinculadas.',
    link: 'Vincular cartera',
    access: 'Mi acceso',
    reputation: 'Mi reputación',
    settings: 'Panel',
    isIn: 'El panel está en',
    here: 'El panel está en el propio grupo o canal.',
    off: 'Aquí no hay panel.',
    start: 'Publícalo con /gate panel canal:#roles.',
    lasts: 'Sigue los cambios de las reglas en uno o dos minutos. Si borras el mensaje, no vuelve.',
    offButton: 'Retirarlo',
    againButton: 'Publicarlo otra vez',
    waiting: 'Se está publicando.',
    deleted:
      'Se ha borrado el mensaje del panel. /gate panel estado:activada lo vuelve a publicar.',
    lost: 'La plataforma no respondió al publicar el panel. Si está, bórralo y vuelve a publicarlo con /gate panel estado:activada.',
    refused: 'No se ha podido publicar o actualizar el panel.',
  },
};
