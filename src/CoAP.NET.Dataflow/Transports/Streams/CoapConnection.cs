namespace CoAP.NET.Transports;

/// <summary>
/// One connection of a reliable transport (RFC 8323), as the mesh sees it. The transport makes it, says so by <see
/// cref="ICoapConnectionContext.Opened"/>, hands in what comes as frames (<see cref="ICoapStreamContext.MeasureFrame"/> tells where one
/// ends), and says at the end <see cref="ICoapConnectionContext.Closed"/>, once.
/// </summary>
public abstract class CoapConnection
{
    // Of sessions, of which there may be very many, the transport knows them.
    private ConnectionFacts? _facts;
    private int _holds;

    /// <summary>Makes a connection.</summary>
    /// <param name="transport">The transport it belongs to.</param>
    /// <param name="remote">The peer's address.</param>
    /// <param name="local">Our address.</param>
    /// <param name="isInitiator">Whether we opened it; false: the peer did.</param>
    protected CoapConnection(CoapConnectionTransport transport, CoapAddress remote, CoapAddress local, bool isInitiator)
    {
        ArgumentNullException.ThrowIfNull(transport);
        Transport = transport;
        _facts = new ConnectionFacts { Remote = remote, Local = local };
        IsInitiator = isInitiator;
    }

    private protected CoapConnection(CoapConnectionTransport transport, bool isInitiator)
    {
        ArgumentNullException.ThrowIfNull(transport);
        Transport = transport;
        IsInitiator = isInitiator;
    }

    private ConnectionFacts Facts => _facts ??= new ConnectionFacts();

    /// <summary>The transport it belongs to.</summary>
    public CoapConnectionTransport Transport { get; }

    /// <summary>The peer's address.</summary>
    public virtual CoapAddress Remote => _facts!.Remote;

    /// <summary>Our address.</summary>
    public virtual CoapAddress Local => _facts!.Local;

    /// <summary>Whether we opened the connection; false: the peer did.</summary>
    public bool IsInitiator { get; }

    /// <summary>
    /// Who the peer is, as its transport proved it, such as a <see cref="CoapTlsIdentity"/>; null without security. Set before <see
    /// cref="ICoapConnectionContext.Opened"/>.
    /// </summary>
    public virtual object? Identity
    {
        get => _facts?.Identity;
        protected init => Facts.Identity = value;
    }

    /// <summary>
    /// The name of the server that the client asked for, by Server Name Indication or a Host header: the default of Uri-Host (RFC 8323
    /// section 8.5); null when none was said.
    /// </summary>
    public virtual string? ServerName
    {
        get => _facts?.ServerName;
        protected init => Facts.ServerName = value;
    }

    /// <summary>
    /// A name of the connection, the same in another process that goes on with it, as with a DTLS session that is kept; no secret. Default:
    /// empty, it ends with this process.
    /// </summary>
    public virtual ReadOnlyMemory<byte> DurableId => default;

    /// <summary>
    /// Whether another process or server opened it, and this one took it over, as from a file or the store of a cluster. Default false.
    /// </summary>
    public virtual bool IsTakenOver => false;

    /// <summary>The channel of the peer; set by <see cref="ICoapConnectionContext.Opened"/>.</summary>
    public CoapChannel? Channel { get; internal set; }

    /// <summary>
    /// Whether more bytes than <see cref="CoapLimits.SendQueueBytes"/> wait to be sent. When it ends, the transport says so by <see
    /// cref="ICoapStreamContext.Writable"/>. Read under locks of the library: no lock may be taken for it that is held while <see
    /// cref="ICoapStreamContext"/> is called.
    /// </summary>
    public abstract bool IsCongested { get; }

    /// <summary>
    /// How much memory it holds for what waits to be sent, in bytes, as of the last <see cref="ICoapStreamContext.BacklogChanged"/>: whole
    /// buffers, also those of which a part was sent. It is what <see cref="CoapLimits.MaxStreamSendBytes"/> counts. Default:
    /// <see cref="CoapConnectionProgress.BytesWaiting"/>. What holds for locks at <see cref="IsCongested"/> holds here.
    /// </summary>
    public virtual long Backlog => Progress.BytesWaiting;

    /// <summary>What it takes of the memory for frames of which only a part is there; null when it never took any.</summary>
    internal ref SourceLedger<CoapConnection>.Holding? Assembly => ref Facts.Assembly;

    /// <summary>What it takes of the memory for what waits to be sent; null when it never took any.</summary>
    internal ref SourceLedger<CoapConnection>.Holding? Sending => ref Facts.Sending;

    /// <summary>
    /// How far sending and receiving are. Read now and then, on any thread, to find peers that are too slow; it need not be exact. What
    /// holds for locks at <see cref="IsCongested"/> holds here.
    /// </summary>
    public abstract CoapConnectionProgress Progress { get; }

    /// <summary>
    /// Sends a frame, after those that were given before, and takes it over. Neither throws nor blocks: what the peer does not take yet
    /// waits. A frame with <see cref="CoapDatagram.IsLast"/> closes the connection after it. Frames that come after that, or after the end,
    /// are disposed.
    /// </summary>
    /// <param name="frame">The frame.</param>
    public abstract void Send(CoapDatagram frame);

    /// <summary>Stops reading until <see cref="ResumeReading"/>; frames that were read already may still come. Calls nest.</summary>
    public abstract void PauseReading();

    /// <summary>Takes one <see cref="PauseReading"/> back.</summary>
    public abstract void ResumeReading();

    /// <summary>
    /// Closes at once: what waits to be sent is dropped. May be repeated. <see cref="ICoapConnectionContext.Closed"/> follows, not
    /// necessarily before this returns.
    /// </summary>
    /// <param name="reason">Why, for the log and <see cref="ICoapConnectionContext.Closed"/>; null for an orderly end.</param>
    public abstract void Close(CoapException? reason);

    /// <summary>Whether it is not read because a block that a user linked in has no room for something of it yet.</summary>
    internal bool IsHeldUp => Volatile.Read(ref _holds) > 0;

    /// <summary>Reads nothing more until <see cref="GoOn"/>, as nobody has room for something of it.</summary>
    internal void HoldUp()
    {
        Interlocked.Increment(ref _holds);
        PauseReading();
    }

    /// <summary>Takes one <see cref="HoldUp"/> back.</summary>
    internal void GoOn()
    {
        Interlocked.Decrement(ref _holds);
        ResumeReading();
    }

    /// <summary>Scheme and address of the peer.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote}";

    private sealed class ConnectionFacts
    {
        public SourceLedger<CoapConnection>.Holding? Assembly;

        public SourceLedger<CoapConnection>.Holding? Sending;

        public CoapAddress Remote { get; init; }

        public CoapAddress Local { get; init; }

        public object? Identity { get; set; }

        public string? ServerName { get; set; }
    }
}
