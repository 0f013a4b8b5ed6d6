import { useProductName } from '@/api/product'
import { PolicySection, PolicyPage } from './PolicyPage'

/** Page of the privacy policy, under the Brazilian data protection law (LGPD). */
export default function PrivacyPage() {
  const product = useProductName()
  return (
    <PolicyPage title="Política de Privacidade" since="1º de novembro de 2026" summary={
      <>
        <p>
          <strong>Em poucas palavras:</strong> o {product} guarda o seu número de registro, o seu nível de acesso e o que você faz no sistema, porque cada inspeção precisa ter autoria.
        </p>
        <p>Não há publicidade, não há venda de dados e nenhum serviço de terceiros acompanha a sua navegação.</p>
      </>
    }>
      <PolicySection title="1. Quem trata os seus dados">
        <p>O {product} é um software de gestão de inspeção de veículos usado em pátios. A empresa que opera o pátio e lhe forneceu o acesso é a <strong>controladora</strong>: ela decide por que e como os dados são tratados (art. 5º, VI, da Lei nº 13.709/2018, a Lei Geral de Proteção de Dados Pessoais, LGPD).</p>
        <p>Quem hospeda ou mantém o sistema por conta dela é <strong>operador</strong> e só trata dados conforme as instruções recebidas (art. 39). O encarregado pelo tratamento de dados pessoais (art. 41) é indicado pela controladora; o seu supervisor informa como falar com ele.</p>
      </PolicySection>

      <PolicySection title="2. Quais dados são tratados">
        <dl>
          <dt>Número de registro (HMC) e nível de acesso</dt>
          <dd>Identificar você e mostrar apenas o que o seu nível permite.</dd>
          <dd className="quiet">Base legal: execução de contrato (art. 7º, V).</dd>
          <dt>Senha, guardada somente como resumo criptográfico irreversível</dt>
          <dd>Confirmar que é você quem entra.</dd>
          <dd className="quiet">Base legal: execução de contrato (art. 7º, V).</dd>
          <dt>Inspeções: veículo, status, observações, data, hora e autoria</dt>
          <dd>Registrar o trabalho feito e liberar veículos com segurança.</dd>
          <dd className="quiet">Base legal: legítimo interesse (art. 7º, IX).</dd>
          <dt>Acessos: data, hora, endereço IP, tentativas de entrada, páginas abertas</dt>
          <dd>Segurança, apuração de incidentes e guarda de registros prevista no art. 15 da Lei nº 12.965/2014 (Marco Civil da Internet).</dd>
          <dd className="quiet">Base legal: obrigação legal (art. 7º, II) e legítimo interesse (art. 7º, IX).</dd>
          <dt>Alterações em campanhas, veículos e usuários</dt>
          <dd>Saber quem mudou o quê e quando.</dd>
          <dd className="quiet">Base legal: legítimo interesse (art. 7º, IX).</dd>
        </dl>
        <p>O sistema não pede nem trata dados sensíveis, como saúde, religião ou biometria (art. 5º, II). Por favor, não os escreva nas observações. O {product} é uma ferramenta de trabalho e não se destina a crianças e adolescentes.</p>
      </PolicySection>

      <PolicySection title="3. Câmera e dados no seu aparelho">
        <p>Quando o leitor de códigos é usado, a imagem da câmera é analisada no próprio aparelho. Nenhuma foto ou vídeo é gravado ou enviado; só o código ou o texto lido é usado.</p>
        <p>O navegador guarda no seu aparelho apenas o necessário:</p>
        <ul>
          <li>a sessão e a chave das suas inspeções não enviadas, até você sair ou fechar a aba;</li>
          <li>as tentativas de entrada e o tempo de bloqueio, até a próxima entrada;</li>
          <li>as inspeções ainda não enviadas, cifradas com a sua chave, até o envio ou até você descartá-las; as demais pessoas que usam o aparelho veem apenas quantas são;</li>
          <li>as inspeções enviadas, cifradas da mesma forma, por alguns dias ou até você sair;</li>
          <li>as campanhas disponíveis offline, até você removê-las ou sair, no máximo doze horas sem atualização;</li>
          <li>o que foi digitado e ainda não foi salvo, até você salvar, descartar ou sair;</li>
          <li>as três últimas observações que você salvou em cada campanha, de no máximo vinte campanhas, até você sair;</li>
          <li>o último veículo aberto e os avisos já mostrados, até você sair;</li>
          <li>os códigos das sessões das quais você saiu sem conexão, no máximo vinte, até o servidor encerrá-las;</li>
          <li>o idioma, o tema, o nome do sistema, a câmera escolhida e um código aleatório deste aparelho, até você limpar os dados do navegador;</li>
          <li>as páginas e o leitor de códigos, sem dados pessoais, para abrir sem conexão;</li>
          <li>o leitor de texto, sem dados pessoais, depois do primeiro uso ou com uma campanha disponível offline, até você limpar os dados do navegador;</li>
          <li>um cookie de segurança que reconhece este aparelho por até 90 dias e impede que outra pessoa bloqueie o seu acesso.</li>
        </ul>
        <p>Não há cookies de publicidade nem de medição de audiência.</p>
      </PolicySection>

      <PolicySection title="4. Com quem os dados são compartilhados">
        <p>Colegas que usam o sistema veem o seu número de registro junto às inspeções que você fez. Supervisores veem a lista de usuários. Planilhas exportadas por líderes e supervisores podem ser entregues a quem encomendou a campanha.</p>
        <p>Fora isso, dados só são entregues a fornecedores de hospedagem contratados pela controladora ou a autoridades, quando a lei ou uma ordem judicial o exigir. Se a hospedagem ficar fora do Brasil, a controladora observa os arts. 33 a 36 da LGPD. Dados não são vendidos.</p>
      </PolicySection>

      <PolicySection title="5. Por quanto tempo">
        <ul>
          <li><strong>Conta:</strong> enquanto você usa o sistema. Depois da exclusão, o número interno permanece junto às inspeções, sem o seu número de registro.</li>
          <li><strong>Registros de acesso:</strong> ao menos seis meses, prazo do art. 15 do Marco Civil da Internet.</li>
          <li><strong>Inspeções e registro de alterações:</strong> enquanto durarem a campanha e os prazos legais de prova e de garantia dos veículos.</li>
        </ul>
        <p>Encerrados esses prazos, os dados são eliminados ou anonimizados (arts. 15 e 16 da LGPD).</p>
      </PolicySection>

      <PolicySection title="6. Como os dados são protegidos">
        <p>A comunicação é cifrada quando o sistema é publicado com HTTPS. Senhas não podem ser lidas por ninguém. Tentativas repetidas de entrada são bloqueadas. Cada ação verifica o nível de acesso no servidor, e alterações importantes ficam em um registro no qual se percebe qualquer adulteração.</p>
        <p>Se ocorrer um incidente com risco relevante, a controladora comunica você e a Autoridade Nacional de Proteção de Dados, a ANPD (art. 48).</p>
      </PolicySection>

      <PolicySection title="7. Os seus direitos">
        <p>Pelo art. 18 da LGPD, você pode, a qualquer momento e sem custo:</p>
        <ul>
          <li>confirmar se os seus dados são tratados e ter acesso a eles;</li>
          <li>corrigir o que estiver incompleto, errado ou desatualizado;</li>
          <li>pedir anonimização, bloqueio ou eliminação do que for desnecessário ou excessivo;</li>
          <li>receber os seus dados em formato que possa ser levado a outro serviço;</li>
          <li>saber com quem eles foram compartilhados;</li>
          <li>opor-se a um tratamento que descumpra a lei.</li>
        </ul>
        <p>O acesso é imediato: em <em>Minha conta</em>, no menu, você baixa tudo o que o {product} guarda sobre você. Para os demais pedidos, fale com o seu supervisor ou com o encarregado. Você também pode reclamar à ANPD ou aos órgãos de defesa do consumidor.</p>
        <p>O bloqueio após tentativas de entrada é automático e dura poucos minutos. Nenhuma outra decisão sobre você é tomada somente por máquina (art. 20).</p>
      </PolicySection>

      <PolicySection title="8. Mudanças nesta política">
        <p>Uma nova versão vale a partir da data indicada no início. Mudanças relevantes são anunciadas pela controladora antes de valerem.</p>
      </PolicySection>
    </PolicyPage>
  )
}
