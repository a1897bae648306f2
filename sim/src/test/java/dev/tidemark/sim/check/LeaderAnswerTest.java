package dev.tidemark.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told from the answers of leaders. */
class LeaderAnswerTest {
  @Test
  void oneLeaderAfterTheOtherIsAsItShouldBeAlsoWhereTheirAnswersCross() {
    assertThat(
            LeaderAnswer.violations(
                List.of(
                    new LeaderAnswer(1, 5, 10, 0, 3),
                    new LeaderAnswer(1, 5, 10, 3, 8), // may have left at 4
                    new LeaderAnswer(2, 6, 11, 2, 7), // and this one at 6
                    new LeaderAnswer(2, 6, 12, 8, 9))))
        .isEmpty();
  }

  @Test
  void twoNodesOfOneEpochAreTwoLeaders() {
    assertThat(
            LeaderAnswer.violations(
                List.of(new LeaderAnswer(1, 5, 10, 0, 3), new LeaderAnswer(2, 5, 10, 4, 8))))
        .singleElement()
        .asString()
        .contains("one epoch");
  }

  @Test
  void anOldLeaderThatAnswersAfterANewOneIsOneOfTwoLeaders() {
    assertThat(
            LeaderAnswer.violations(
                List.of(
                    new LeaderAnswer(1, 5, 10, 0, 3),
                    new LeaderAnswer(2, 6, 10, 2, 7),
                    new LeaderAnswer(1, 5, 10, 8, 9))))
        .singleElement()
        .asString()
        .contains("an old leader");
  }

  @Test
  void anEndThatGoesBackIsSeen() {
    assertThat(
            LeaderAnswer.violations(
                List.of(new LeaderAnswer(1, 5, 10, 0, 3), new LeaderAnswer(2, 6, 9, 4, 7))))
        .singleElement()
        .asString()
        .contains("goes back");
  }
}
