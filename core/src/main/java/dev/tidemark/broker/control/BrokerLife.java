package dev.tidemark.broker.control;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.protocol.SessionField;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one run of a broker as its controller sees it (KIP-631). Owned by the data shard.
 *
 * <pre>
 * WAITING ------> REGISTERING ----> LOADING ----> FENCED &lt;---> RUNNING
 *   metadata known   ^    registered    logs opened    unfenced     |
 *                    |                                              |
 *                    +---- the controller does not know it ---------+
 * any of them ----> LEAVING ----> GONE
 * </pre>
 *
 * <p>It sends one heartbeat at a time: in the {@link HeartbeatRhythm} of the cluster, and at once
 * when somebody waits for what it says. An acknowledged one renews the {@link LeaderLease}.
 */
public final class BrokerLife implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerLife.class);

  /** Between attempts that fail, and between heartbeats of a broker that waits for their answer. */
  private static final long RETRY_MS = 100;

  /** A stop without a controller does not wait longer for one. */
  private static final long ALONE_STOP_MS = 3_000;

  /** A stop waits so long for others to take over what this broker leads. */
  private static final long STOP_MS = 20_000;

  private enum State {
    WAITING,
    REGISTERING,
    LOADING,
    FENCED,
    RUNNING,
    LEAVING,
    GONE
  }

  private final BrokerIncarnation incarnation;
  private final LifeSettings settings;
  private final RoutedChannel channel;
  private final LeaderLease lease;
  private final MetadataView view;
  private final Shard data;
  private final HeartbeatRhythm rhythm;
  private final Clock clock;
  private final Timers timers;
  private final Owner owner;
  private Supplier<List<Uuid>> offlineFolders = List::of;
  private State state = State.WAITING;
  private long brokerEpoch = -1;
  private boolean isLoaded;
  private boolean isRegistrationTold;
  private boolean isStartTold;
  private boolean inFlight;
  private boolean beatAgain;
  private long lastAnswerMs;
  private @Nullable String lastTrouble;
  private Timers.@Nullable Timer next;
  private Timers.@Nullable Timer startLimit;
  private Timers.@Nullable Timer stopLimit;
  private Runnable whenGone = () -> {};

  /** Whom it tells how the start goes on. */
  public interface Owner {
    /** The metadata here name this run; its logs are to be opened. */
    void onRegistered();

    /** The broker may lead: the start is done. */
    void onUnfenced();

    /** The start is over; nothing more is told. */
    void onFailed(Throwable cause);
  }

  /**
   * A run that does nothing before {@link #start}.
   *
   * @param channel for heartbeats alone
   */
  public BrokerLife(
      BrokerIncarnation incarnation,
      LifeSettings settings,
      RoutedChannel channel,
      KnownController known,
      LeaderLease lease,
      MetadataView view,
      Shard data,
      Owner owner) {
    this.incarnation = incarnation;
    this.settings = settings;
    this.channel = channel;
    this.lease = lease;
    this.view = view;
    this.data = data;
    this.rhythm = new HeartbeatRhythm(settings);
    this.clock = data.clock();
    this.timers = data.timers();
    this.owner = owner;
    channel.whenLost(this::onConnectionLost);
    known.onChange(this::onControllerChange);
  }

  /** The epoch of the registration; -1 before it. */
  public long brokerEpoch() {
    return brokerEpoch;
  }

  /** Which data folders are told to have failed with each heartbeat. */
  public void offlineFolders(Supplier<List<Uuid>> failed) {
    offlineFolders = failed;
  }

  /** Registers as soon as this node knows metadata of the cluster. */
  public void start() {
    lastAnswerMs = clock.monotonicMs();
    startLimit = timers.schedule(settings.registrationTimeoutMs(), this::onStartLimit);
    view.addListener(this);
    goOn();
  }

  private void goOn() {
    MetadataImage image = view.image();
    switch (state) {
      case WAITING -> {
        if (image.features().metadataVersion().isPresent()) {
          transitionToRegistering();
        }
      }
      case LOADING -> tellIfRegistered(image);
      case FENCED -> beat();
      default -> {}
    }
  }

  private void tellIfRegistered(MetadataImage image) {
    BrokerRegistration self = image.cluster().broker(incarnation.brokerId());
    if (self != null && self.epoch() == brokerEpoch && !isRegistrationTold) {
      isRegistrationTold = true;
      data.execute(owner::onRegistered); // it adds listeners of its own
    }
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    boolean isAwaited = Leaderships.isAwaited(delta, image, incarnation.brokerId());
    // In a later event: what the heartbeat tells all listeners must have acted upon.
    if (isAwaited && (state == State.RUNNING || state == State.LEAVING)) {
      data.execute(this::beat);
    }
    if (state == State.WAITING || state == State.LOADING || state == State.FENCED) {
      data.execute(this::goOn);
    }
    if (state == State.RUNNING && HeartbeatRhythm.isAnswerOnly(delta)) {
      joinOthers(image);
    }
  }

  // --- registration ---

  private void transitionToRegistering() {
    state = State.REGISTERING;
    register();
  }

  /** Nothing is lost of what the run before wrote, or of what this one wrote so far. */
  private long previousEpoch() {
    if (brokerEpoch >= 0) {
      return brokerEpoch;
    }
    BrokerRegistration before = view.image().cluster().broker(incarnation.brokerId());
    boolean isWhole =
        incarnation.afterCleanStop()
            && before != null
            && incarnation.directoryIds().containsAll(before.directories());
    return isWhole ? before.epoch() : -1;
  }

  private void register() {
    channel.send(
        ApiKeys.BROKER_REGISTRATION,
        incarnation.registration(settings.clusterId(), previousEpoch()),
        settings.sessionTimeoutMs(),
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            onRegistration((BrokerRegistrationResponseData) response);
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            registerLater("the active controller was not reached: " + failure);
          }
        });
  }

  private void registerLater(String why) {
    if (!why.equals(lastTrouble)) {
      LOG.warn("Broker {} is not registered yet, it goes on trying: {}", id(), why);
    }
    lastTrouble = why;
    if (state == State.REGISTERING) {
      schedule(RETRY_MS);
    }
  }

  private void onRegistration(BrokerRegistrationResponseData response) {
    if (state != State.REGISTERING) {
      return;
    }
    Errors error = Errors.forCode(response.errorCode());
    switch (error) {
      case NONE -> onRegistered(response.brokerEpoch());
      case INCONSISTENT_CLUSTER_ID, INVALID_REGISTRATION, UNSUPPORTED_VERSION ->
          fail(RegistrationTrouble.refused(id(), error));
      case DUPLICATE_BROKER_REGISTRATION -> registerLater(RegistrationTrouble.duplicate(id()));
      default -> registerLater("the controller answered %s: %s".formatted(error, error.message()));
    }
  }

  private void onRegistered(long epoch) {
    LOG.info("Broker {} is registered with epoch {}", incarnation.brokerId(), epoch);
    brokerEpoch = epoch;
    lastTrouble = null;
    state = isLoaded ? State.FENCED : State.LOADING;
    goOn();
    schedule(settings.heartbeatIntervalMs());
  }

  private void onStartLimit() {
    if (!isRegistrationTold) {
      fail(RegistrationTrouble.late(id(), settings.registrationTimeoutMs(), lastTrouble));
    }
  }

  private void fail(String why) {
    if (isStartTold) {
      LOG.error("{}", why);
      schedule(settings.heartbeatIntervalMs());
      return;
    }
    transitionToGone();
    owner.onFailed(new IOException(why));
  }

  // --- heartbeats ---

  /** The logs are open: from now on the broker wants to lead. */
  public void onLoaded() {
    isLoaded = true;
    if (state == State.LOADING) {
      state = State.FENCED;
      beat();
    }
  }

  /** Something is to be told the controller now: a folder has failed. */
  public void beatNow() {
    if (state == State.RUNNING || state == State.FENCED) {
      beat();
    }
  }

  /** Without a lease nothing is put off, nor while somebody waits for what this broker knows. */
  private void joinOthers(MetadataImage image) {
    long nowMs = clock.monotonicMs();
    if (rhythm.isPostponed(nowMs) && lease.isHeld(nowMs) && !Leaderships.isAnyStopping(image)) {
      long dueMs = rhythm.joinMs(nowMs);
      schedule(dueMs - nowMs);
      rhythm.rest(dueMs);
    }
  }

  private void schedule(long delayMs) {
    rhythm.interrupt();
    if (next != null) {
      next.cancel();
    }
    next = timers.schedule(delayMs, this::onTimer);
  }

  private void onTimer() {
    next = null;
    switch (state) {
      case REGISTERING -> register();
      case LOADING, FENCED, RUNNING, LEAVING -> beat();
      default -> {}
    }
  }

  private void beat() {
    if (inFlight || brokerEpoch < 0) {
      beatAgain = inFlight;
      return;
    }
    inFlight = true;
    beatAgain = false;
    long sentMs = clock.monotonicMs();
    long sentWallMs = clock.wallMs();
    rhythm.onSent(sentMs);
    channel.send(
        ApiKeys.BROKER_HEARTBEAT,
        heartbeat(),
        Math.max(1, settings.sessionTimeoutMs() / 2),
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            inFlight = false;
            onHeartbeat((BrokerHeartbeatResponseData) response, sentMs, sentWallMs);
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            inFlight = false;
            onNoAnswer();
          }
        });
  }

  private BrokerHeartbeatRequestData heartbeat() {
    return new BrokerHeartbeatRequestData()
        .setBrokerId(incarnation.brokerId())
        .setBrokerEpoch(brokerEpoch)
        .setCurrentMetadataOffset(view.image().provenance().lastContainedOffset())
        .setWantFence(!isLoaded)
        .setWantShutDown(state == State.LEAVING)
        .setOfflineLogDirs(offlineFolders.get());
  }

  private void onHeartbeat(BrokerHeartbeatResponseData response, long sentMs, long sentWallMs) {
    if (state == State.GONE || state == State.REGISTERING) {
      return;
    }
    Errors error = Errors.forCode(response.errorCode());
    switch (error) {
      case NONE -> {
        lastAnswerMs = clock.monotonicMs();
        onAcknowledged(response, sentMs, sentWallMs);
      }
      case STALE_BROKER_EPOCH, BROKER_ID_NOT_REGISTERED -> onUnknownHere(error);
      default -> onNoAnswer();
    }
  }

  private void onAcknowledged(BrokerHeartbeatResponseData response, long sentMs, long sentWallMs) {
    if (response.isFenced()) {
      lease.lose();
    } else {
      long sessionMs = SessionField.shorter(response, settings.sessionTimeoutMs());
      rhythm.onSession(sessionMs);
      lease.grant(sentMs, sentWallMs, sessionMs);
    }
    if (state == State.LEAVING) {
      if (response.shouldShutDown()) {
        LOG.info("Others have taken over from broker {}", incarnation.brokerId());
        transitionToGone();
        return;
      }
    } else if (isLoaded) {
      follow(response.isFenced());
    }
    boolean waits = state == State.FENCED || state == State.LEAVING;
    schedule(waits ? RETRY_MS : settings.heartbeatIntervalMs());
    if (beatAgain) {
      beat();
    } else if (!waits) {
      rhythm.rest(clock.monotonicMs() + settings.heartbeatIntervalMs());
    }
  }

  private void follow(boolean isFenced) {
    State before = state;
    state = isFenced ? State.FENCED : State.RUNNING;
    if (before == State.RUNNING && isFenced) {
      LOG.warn("The controller has fenced broker {}", incarnation.brokerId());
    }
    if (!isFenced && !isStartTold) {
      isStartTold = true;
      owner.onUnfenced();
    }
  }

  /** Another run has taken the id, or somebody unregistered it: it leads nothing any more. */
  private void onUnknownHere(Errors error) {
    lease.lose();
    if (state == State.LEAVING) {
      transitionToGone();
      return;
    }
    LOG.warn(
        "The controller does not know broker {} with epoch {} ({}): it registers again",
        incarnation.brokerId(),
        brokerEpoch,
        error);
    transitionToRegistering();
  }

  private void onNoAnswer() {
    boolean isAlone = clock.monotonicMs() - lastAnswerMs >= ALONE_STOP_MS;
    if (state == State.LEAVING && isAlone) {
      LOG.warn("Broker {} stops without its controller, which does not answer", id());
      transitionToGone();
    } else if (state != State.GONE && state != State.REGISTERING) {
      schedule(RETRY_MS);
    }
  }

  private int id() {
    return incarnation.brokerId();
  }

  private void onConnectionLost() {
    lease.lose();
    if (state == State.RUNNING || state == State.FENCED || state == State.LEAVING) {
      schedule(0);
    }
  }

  /** Whoever is active now has not heard of this broker yet. */
  private void onControllerChange() {
    if (state == State.REGISTERING || state == State.RUNNING || state == State.FENCED) {
      schedule(0);
    }
  }

  // --- the end ---

  /**
   * Asks the controller to let others take over (KIP-631's controlled shutdown); {@code done} runs
   * once they have, or when nobody answers. The lease is given up by then.
   */
  public void leave(Runnable done) {
    whenGone = done;
    if (state == State.GONE || brokerEpoch < 0) {
      transitionToGone();
      return;
    }
    state = State.LEAVING;
    lastAnswerMs = clock.monotonicMs();
    stopLimit =
        timers.schedule(
            STOP_MS,
            () -> {
              LOG.warn("Broker {} stops though it may still lead partitions", id());
              transitionToGone();
            });
    beat();
  }

  /** The run is over, without a word to the controller. */
  public void end() {
    if (state != State.GONE) {
      transitionToGone();
    }
  }

  private void transitionToGone() {
    state = State.GONE;
    lease.lose();
    cancel(next);
    cancel(startLimit);
    cancel(stopLimit);
    channel.close();
    Runnable gone = whenGone;
    whenGone = () -> {};
    gone.run();
  }

  private static void cancel(Timers.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
