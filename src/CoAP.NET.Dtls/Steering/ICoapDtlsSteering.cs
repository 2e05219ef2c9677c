using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>
/// Says which sessions of several servers are here, and brings datagrams of the others to where they belong. The servers share 256 slots:
/// the first byte of a Connection ID is the slot of its session. Set by <see cref="CoapDtlsServerOptions.Steering"/>.
/// </summary>
/// <remarks>
/// The server asks only when it knows no session and no handshake for a datagram, so a datagram that arrives at the right server costs
/// nothing more. All members may be called by several threads at once, mostly those that receive: they must return quickly, and must not
/// throw. What they throw is logged, and counts as null or false.
/// </remarks>
public interface ICoapDtlsSteering
{
    /// <summary>Called once when the server starts: after sessions were loaded, and before its first datagram.</summary>
    /// <param name="port">Takes relayed datagrams, and releases slots.</param>
    void Start(CoapDtlsSteeringPort port);

    /// <summary>
    /// The slot of a session that is about to be made: the first byte of its Connection ID, and of the name that its keeper knows it by
    /// where it has no Connection ID. Called for each ClientHello that begins something, also when no session comes of it.
    /// </summary>
    /// <returns>A slot that is here; null when there is none. The ClientHello is then offered to <see cref="TryRelay"/>, and dropped when
    /// that does not take it.</returns>
    byte? SlotOfNewSession();

    /// <summary>Brings a datagram to another server, or keeps it until its slot has arrived somewhere.</summary>
    /// <param name="slot">The first byte of the first Connection ID in the datagram. Null where there is none, as in records of sessions
    /// without one, and in a ClientHello. Anybody can send any slot.</param>
    /// <param name="remote">Where the datagram came from.</param>
    /// <param name="datagram">The datagram; to be copied before this returns.</param>
    /// <returns>Whether it was taken; false when it is for this server or for nobody, so that it is dropped.</returns>
    bool TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// Keeps a request in a session that is about to be handed over (<see cref="CoapDtlsSteeringPort.ReleaseAsync"/>), until its slot has
    /// arrived somewhere: the server begins no request in it any more, and the record counts as not received. By default none is kept.
    /// </summary>
    /// <param name="via">The number of the server that relayed it, as it was given to <see cref="CoapDtlsSteeringPort.Receive"/>; 0: it
    /// came to this server.</param>
    /// <param name="slot">The slot of the session.</param>
    /// <param name="remote">Where it came from.</param>
    /// <param name="datagram">A datagram with the record; to be copied before this returns.</param>
    /// <returns>Whether it is kept; false when it is dropped, so that the client has to repeat it.</returns>
    bool TryHold(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram) => false;

    /// <summary>
    /// Sends a datagram by way of the server that relayed the last one of its session, as networks let answers through only from where the
    /// client has sent to. The steering there gives it to <see cref="CoapDtlsSteeringPort.Send"/>.
    /// </summary>
    /// <param name="via">What was given to <see cref="CoapDtlsSteeringPort.Receive"/>.</param>
    /// <param name="remote">Where it is to go.</param>
    /// <param name="datagram">The datagram; to be copied before this returns.</param>
    /// <returns>Whether it was taken; false when that way is gone, so that it is sent directly.</returns>
    bool TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// Writes by which name other servers know the one that hears the client of a session. The name is kept with the session: whoever has
    /// the session next sends by way of that server until the client is heard, as a network may let nothing else through to the client. By
    /// default it has no name. Called for sessions with a Connection ID only.
    /// </summary>
    /// <param name="via">What was given to <see cref="CoapDtlsSteeringPort.Receive"/>; 0: this server hears the client.</param>
    /// <param name="name">Takes the name: 64 bytes.</param>
    /// <returns>How many bytes the name has; 0: none is kept.</returns>
    int NameVia(int via, Span<byte> name) => 0;

    /// <summary>The number of the server that heard the client of a session which was loaded.</summary>
    /// <param name="name">What <see cref="NameVia"/> wrote, here or at another server, perhaps long ago.</param>
    /// <returns>Its number as <see cref="TrySendVia"/> knows it; 0: it is this server, or is gone, so that is sent directly.</returns>
    int ViaOf(ReadOnlySpan<byte> name) => 0;
}
