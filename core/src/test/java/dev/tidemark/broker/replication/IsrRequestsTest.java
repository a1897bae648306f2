package dev.tidemark.broker.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.control.ControllerChannel;
import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.replica.BrokerRegistry;
import dev.tidemark.replica.IsrMember;
import dev.tidemark.replica.IsrProposal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class IsrRequestsTest {
  private static final Uuid TOPIC = new Uuid(1, 2);

  private final ArrayDeque<Runnable> due = new ArrayDeque<>();
  private final List<AlterPartitionRequestData> sent = new ArrayList<>();
  private final List<PeerConnection.Answer> answers = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final IsrRequests requests = new IsrRequests(1, new Brokers(), channel(), timers());

  private static final class Brokers implements BrokerRegistry {
    @Override
    public boolean isEligible(int brokerId, long brokerEpoch) {
      return true;
    }

    @Override
    public boolean isAlive(int brokerId) {
      return true;
    }

    @Override
    public long ownEpoch() {
      return 7;
    }
  }

  private ControllerChannel channel() {
    return new ControllerChannel() {
      @Override
      public void send(
          ApiKeys api, ApiMessage request, long timeoutMs, PeerConnection.Answer answer) {
        sent.add((AlterPartitionRequestData) request);
        answers.add(answer);
      }
    };
  }

  private Timers timers() {
    return (delayMs, task) -> {
      due.add(task);
      return () -> due.remove(task);
    };
  }

  private void runDue() {
    while (!due.isEmpty()) {
      due.remove().run();
    }
  }

  private void propose(int partition, int partitionEpoch) {
    requests.propose(
        new IsrProposal(
            new LogId("t", partition, TOPIC),
            3,
            partitionEpoch,
            List.of(new IsrMember(1, 7), new IsrMember(2, 9))),
        (error, state) -> heard.add(partition + ":" + error + (state == null ? "" : state.isr())));
  }

  private static AlterPartitionResponseData.PartitionData part(int partition, Errors error) {
    return new AlterPartitionResponseData.PartitionData()
        .setPartitionIndex(partition)
        .setErrorCode(error.code())
        .setLeaderEpoch(3)
        .setPartitionEpoch(5)
        .setIsr(List.of(1, 2));
  }

  private void answer(int index, AlterPartitionResponseData.PartitionData... parts) {
    AlterPartitionResponseData response = new AlterPartitionResponseData();
    response
        .topics()
        .add(
            new AlterPartitionResponseData.TopicData()
                .setTopicId(TOPIC)
                .setPartitions(List.of(parts)));
    Objects.requireNonNull(answers.get(index)).onResponse(response);
  }

  @Test
  void whatIsProposedInOneMomentGoesOutInOneRequestAndEachHearsItsOwn() {
    propose(0, 4);
    propose(1, 4);
    runDue();
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).brokerEpoch()).isEqualTo(7);
    assertThat(sent.get(0).topics().get(0).partitions())
        .extracting(partition -> partition.newIsrWithEpochs().get(1).brokerEpoch())
        .containsExactly(9L, 9L);
    answer(0, part(1, Errors.INVALID_UPDATE_VERSION), part(0, Errors.NONE));
    assertThat(heard).containsExactly("0:NONE[1, 2]", "1:INVALID_UPDATE_VERSION");
  }

  @Test
  void whatIsProposedWhileARequestIsUnderWayGoesOutAfterIt() {
    propose(0, 4);
    runDue();
    propose(1, 4);
    propose(0, 5);
    runDue();
    assertThat(sent).hasSize(1);
    answer(0, part(0, Errors.NONE));
    assertThat(sent).hasSize(2);
    assertThat(sent.get(1).topics().get(0).partitions()).hasSize(2);
  }

  @Test
  void anErrorOfTheWholeAndAMissingPartAndALostConnectionAreToldToAll() {
    propose(0, 4);
    runDue();
    Objects.requireNonNull(answers.get(0))
        .onResponse(new AlterPartitionResponseData().setErrorCode(Errors.NOT_CONTROLLER.code()));
    propose(0, 4);
    runDue();
    answer(1);
    propose(0, 4);
    runDue();
    answers.get(2).onFailed(PeerConnection.Failure.TIMED_OUT);
    assertThat(heard)
        .containsExactly("0:NOT_CONTROLLER", "0:UNKNOWN_SERVER_ERROR", "0:REQUEST_TIMED_OUT");
  }

  @Test
  void aProposalThatANewerOneReplacesBeforeItIsSentIsNotAttempted() {
    propose(0, 4);
    propose(0, 5);
    runDue();
    assertThat(heard).containsExactly("0:OPERATION_NOT_ATTEMPTED");
    assertThat(sent.get(0).topics().get(0).partitions().get(0).partitionEpoch()).isEqualTo(5);
  }
}
