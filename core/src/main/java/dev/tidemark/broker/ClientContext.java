package dev.tidemark.broker;

import java.net.InetAddress;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** Who is at the other end of a connection. */
public record ClientContext(
    String connectionId,
    InetAddress address,
    int port,
    KafkaPrincipal principal,
    ListenerName listenerName,
    SecurityProtocol securityProtocol,
    ClientInformation software) {

  /** The same peer after it told its software's name and version (KIP-511). */
  public ClientContext withSoftware(ClientInformation told) {
    return new ClientContext(
        connectionId, address, port, principal, listenerName, securityProtocol, told);
  }
}
