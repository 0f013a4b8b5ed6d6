import { useProductName } from '@/api/product'
import { Link } from '@/lib/route'
import { PolicySection, PolicyPage } from './PolicyPage'

/** Page of the terms of use, under Brazilian law. */
export default function TermsPage() {
  const product = useProductName()
  return (
    <PolicyPage title="Termos de Uso" since="1º de novembro de 2026" summary={
      <>
        <p>
          <strong>Em poucas palavras:</strong> o acesso ao {product} é pessoal e serve ao trabalho. Registre o que você de fato viu no veículo e não empreste a sua senha.
        </p>
        <p>Ao entrar no sistema, você concorda com estes termos.</p>
      </>
    }>
      <PolicySection title="1. O que é o serviço">
        <p>O {product} é um software de gestão de inspeção de veículos em pátios. Com ele, equipes de campo escolhem uma campanha e um pátio, conferem cada veículo e registram o resultado; líderes e supervisores importam campanhas, corrigem dados e administram usuários.</p>
        <p>O acesso é fornecido pela empresa que opera o pátio, aqui chamada de <strong>empresa</strong>. Estes termos regem o uso do sistema e não alteram o seu contrato de trabalho ou de prestação de serviços.</p>
      </PolicySection>

      <PolicySection title="2. Conta e senha">
        <ul>
          <li>A conta é pessoal e intransferível. O que é feito com ela é atribuído a você.</li>
          <li>Escolha uma senha que só você conheça e troque-a em <em>Minha conta</em> se suspeitar que outra pessoa a descobriu.</li>
          <li>Saia do sistema ao deixar um aparelho compartilhado.</li>
          <li>Avise o seu supervisor imediatamente sobre perda de aparelho ou uso indevido.</li>
        </ul>
        <p>Depois de cinco tentativas de entrada sem sucesso, o acesso fica bloqueado por três minutos.</p>
      </PolicySection>

      <PolicySection title="3. Níveis de acesso">
        <p>Há três níveis: operador, líder de equipe e supervisor. Cada um vê e altera somente o que a sua função exige. Tentar contornar esses limites viola estes termos, ainda que nada seja alterado.</p>
      </PolicySection>

      <PolicySection title="4. Uso responsável">
        <p>Você se compromete a:</p>
        <ul>
          <li>registrar informações verdadeiras e conferir o identificador antes de salvar;</li>
          <li>escrever observações objetivas, sem ofensas e sem dados pessoais de terceiros;</li>
          <li>usar o aparelho com atenção ao trânsito do pátio e às regras de segurança do trabalho.</li>
        </ul>
        <p>Não é permitido:</p>
        <ul>
          <li>usar a conta de outra pessoa ou deixar que usem a sua;</li>
          <li>copiar listas de veículos ou de usuários para fins alheios ao trabalho;</li>
          <li>enviar arquivos maliciosos, sobrecarregar o sistema ou explorar falhas;</li>
          <li>copiar, modificar ou revender o software sem autorização.</li>
        </ul>
        <p>A invasão de dispositivo informático é crime (art. 154-A do Código Penal).</p>
      </PolicySection>

      <PolicySection title="5. Conteúdo e propriedade">
        <p>Os dados de campanhas, veículos e inspeções pertencem à empresa ou a quem encomendou a campanha. O software é protegido pelas Leis nº 9.609/1998 e nº 9.610/1998; você recebe apenas o direito de usá-lo enquanto tiver acesso.</p>
      </PolicySection>

      <PolicySection title="6. Registros">
        <p>Entradas, páginas abertas e alterações são registradas com data, hora e autoria, para segurança e para a rastreabilidade das inspeções. A <Link href="/privacy-policy">Política de Privacidade</Link> explica quais dados são tratados, por quê e quais são os seus direitos segundo a Lei nº 13.709/2018 (LGPD).</p>
      </PolicySection>

      <PolicySection title="7. Disponibilidade">
        <p>A empresa procura manter o sistema disponível durante os turnos de trabalho, mas pode haver paradas para manutenção, falhas de rede ou de energia. O que você digitou e ainda não salvou fica guardado no aparelho sempre que possível; confira-o ao voltar.</p>
      </PolicySection>

      <PolicySection title="8. Responsabilidade">
        <p>O {product} apoia a decisão humana e não a substitui: quem inspeciona responde pela informação registrada, e a liberação de um veículo segue os procedimentos da empresa. Nada nestes termos afasta responsabilidades que a lei brasileira não permite afastar, inclusive por dolo ou culpa grave e perante o consumidor.</p>
      </PolicySection>

      <PolicySection title="9. Suspensão e encerramento">
        <p>O acesso termina com o fim do vínculo que o justificou. Ele pode ser suspenso antes, em caso de risco à segurança ou de violação destes termos, assegurado a você o direito de saber o motivo e de se manifestar.</p>
      </PolicySection>

      <PolicySection title="10. Mudanças, lei e foro">
        <p>Uma nova versão destes termos vale a partir da data indicada no início e é anunciada pela empresa quando mudar algo relevante. Se uma cláusula for inválida, as demais continuam valendo.</p>
        <p>Aplica-se a lei brasileira, em especial o Código Civil (Lei nº 10.406/2002), o Marco Civil da Internet (Lei nº 12.965/2014) e a LGPD. Fica eleito o foro da sede da empresa, respeitados os foros que a lei garante ao trabalhador e ao consumidor.</p>
      </PolicySection>
    </PolicyPage>
  )
}
