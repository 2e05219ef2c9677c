namespace CoAP.NET.Dtls.Steering;

/// <summary>Decides which sessions of several servers belong to this one, and relays datagrams of the others.</summary>
/// <remarks>
/// The servers share 256 slots: the first byte of a Connection ID is the slot of its session. Set by
/// <see cref="CoapDtlsServerOptions.Steering"/>. The server asks only if it knows no session and no handshake for a datagram, so a datagram
/// at the right server costs nothing extra. Several threads may call all members at once, mostly receive threads: members must return
/// quickly and must not throw. The server logs an exception and treats it as null or false.
/// </remarks>
internal interface ICoapDtlsSteering
{
    /// <summary>Initializes the steering when the server starts: after the backup loaded sessions, and before the first datagram.</summary>
    /// <param name="port">Accepts relayed datagrams, and releases slots.</param>
    void Start(CoapDtlsSteeringContext port);

    /// <summary>Selects the slot of a new session.</summary>
    /// <returns>
    /// A slot of this server; null if it has none. The server then offers the ClientHello to <see cref="TryRelay"/>, and drops it if that
    /// returns false.
    /// </returns>
    /// <remarks>
    /// The slot is the first byte of the Connection ID. For a session without one, it is the first byte of the name by which the backup
    /// knows it. The server calls it for each ClientHello that begins a handshake, even if no session results.
    /// </remarks>
    byte? SlotOfNewSession();

    /// <summary>Relays a datagram to another server, or holds it until its slot has arrived somewhere.</summary>
    /// <param name="slot">
    /// The first byte of the first Connection ID in the datagram. Null if there is none, as in records of sessions without one, and in a
    /// ClientHello. Any sender can choose any slot.
    /// </param>
    /// <param name="remote">Where the datagram came from.</param>
    /// <param name="datagram">The datagram; copy it before the method returns.</param>
    /// <returns>True if the steering took it; false if it is for this server or for none, which then drops it.</returns>
    bool TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// Holds a request of a session that <see cref="CoapDtlsSteeringContext.ReleaseAsync"/> is handing over, until its slot has arrived
    /// somewhere.
    /// </summary>
    /// <param name="via">
    /// The number of the relaying server, as passed to <see cref="CoapDtlsSteeringContext.Receive"/>; 0: it came to this server.
    /// </param>
    /// <param name="slot">The slot of the session.</param>
    /// <param name="remote">Where it came from.</param>
    /// <param name="datagram">A datagram with the record; copy it before the method returns.</param>
    /// <returns>True if the steering holds it; false to drop it, so that the client has to retransmit it.</returns>
    /// <remarks>
    /// The server starts no new request in the session, and the record counts as not received.
    /// </remarks>
    bool TryEnqueue(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram);

    /// <summary>Sends a datagram through the server that relayed the last one of its session.</summary>
    /// <param name="via">The number passed to <see cref="CoapDtlsSteeringContext.Receive"/>.</param>
    /// <param name="remote">The destination.</param>
    /// <param name="datagram">The datagram; copy it before the method returns.</param>
    /// <returns>True if the steering took it; false if that way no longer exists, and the server sends directly.</returns>
    /// <remarks>
    /// Networks often let answers through only from the address that the client sent to. The steering of that server passes the datagram to
    /// <see cref="CoapDtlsSteeringContext.Send"/>.
    /// </remarks>
    bool TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram);

    /// <summary>Writes the name by which other servers know the server that receives from the client of a session.</summary>
    /// <param name="via">The number passed to <see cref="CoapDtlsSteeringContext.Receive"/>; 0: this server receives from the
    /// client.</param>
    /// <param name="name">Receives the name: 64 bytes.</param>
    /// <returns>The length of the name in bytes; 0 for none.</returns>
    /// <remarks>
    /// The state of the session includes the name. The next server with the session sends through that server until it receives from the
    /// client itself, because a network may let nothing else through to the client. The server calls it only for sessions with a Connection
    /// ID. By default there is no name.
    /// </remarks>
    int NameVia(int via, Span<byte> name) => 0;

    /// <summary>Finds the number of the server that received from the client of a loaded session.</summary>
    /// <param name="name">The name that <see cref="NameVia"/> wrote, here or at another server, perhaps long ago.</param>
    /// <returns>
    /// Its number for <see cref="TrySendVia"/>; 0 if it is this server or no longer exists, and the server sends directly.
    /// </returns>
    int ViaOf(ReadOnlySpan<byte> name) => 0;
}
