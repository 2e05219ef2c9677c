namespace CoAP.NET.Transports;

/// <summary>
/// One security session over datagrams, as the mesh sees it: a peer of its own as long as it lasts, wherever its datagrams come from.
/// Tokens, duplicates, exchanges, observers and blocks are bound to it (RFC 7252 sections 9.1.1 and 9.1.2). The transport makes it when the
/// peer has proved who it is, says so by <see cref="ICoapConnectionContext.Opened"/>, hands in what comes as datagrams whose
/// <see cref="CoapDatagram.Channel"/> is that of the session, and says at the end <see cref="ICoapConnectionContext.Closed"/>, once.
/// </summary>
public abstract class CoapSession : CoapConnection
{
    private long _received;

    /// <summary>Makes a session.</summary>
    /// <param name="transport">The transport it belongs to.</param>
    /// <param name="isInitiator">Whether we opened it; false: the peer did.</param>
    protected CoapSession(CoapSessionTransport transport, bool isInitiator)
        : base(transport, isInitiator)
    {
    }

    /// <summary>
    /// The peer's address now. It changes where the session has a Connection ID (RFC 9146 section 6): see <see
    /// cref="ICoapSessionContext.Moved"/>.
    /// </summary>
    public abstract override CoapAddress Remote { get; }

    /// <summary>
    /// Our address towards the peer; the wildcard when the operating system chooses. It changes where the peer begins to send to another
    /// address of ours.
    /// </summary>
    public abstract override CoapAddress Local { get; }

    /// <summary>Always false: what cannot be sent at once is lost, as datagrams are.</summary>
    public override bool IsCongested => false;

    /// <summary>The messages that came, as <see cref="OnReceived"/> counted them. Nothing is ever sent or received in parts.</summary>
    public override CoapConnectionProgress Progress => new(Volatile.Read(ref _received), 0, 0, 0);

    /// <summary>
    /// How much larger than a message its datagram to the peer is, in bytes. What may be sent to an address that the peer has moved to and
    /// not answered from is counted with it. Default 29: what DTLS 1.2 adds at least.
    /// </summary>
    public virtual int SentOverhead => 29;

    /// <summary>How much larger than a message the peer's datagram is, in bytes. Default 29: what DTLS 1.2 adds at least.</summary>
    public virtual int ReceivedOverhead => 29;

    /// <summary>
    /// How long nothing has come of the peer, as far as the transport knows. It is asked when the session is opened: one that another
    /// process had may have been silent for long. Default: zero, as of a session that was just made.
    /// </summary>
    public virtual TimeSpan Idle => TimeSpan.Zero;

    /// <summary>Does nothing: datagrams cannot be held up. What has no room is dropped.</summary>
    public override void PauseReading()
    {
    }

    /// <summary>Does nothing; see <see cref="PauseReading"/>.</summary>
    public override void ResumeReading()
    {
    }

    /// <summary>Counts a message that came. Copies that come at the same time may be counted as one: it need not be exact.</summary>
    protected void OnReceived() => Volatile.Write(ref _received, _received + 1);
}
