namespace CoAP.NET.Survival.Balancing;

/// <summary>What a <see cref="UdpBalancer"/> read on the wire since it was told to begin.</summary>
/// <param name="Handshakes">Clients that a server began a handshake with (ServerHello).</param>
/// <param name="Moved">Clients whose datagrams went to another server than before.</param>
/// <param name="NumbersTwice">Records of servers whose number was used before under the same key.</param>
/// <param name="Dropped">Datagrams that no server could be found for.</param>
internal readonly record struct BalancerFigures(int Handshakes, int Moved, int NumbersTwice, long Dropped);
