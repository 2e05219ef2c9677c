using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>One connection of a reliable transport (RFC 8323), as the mesh sees it.</summary>
/// <remarks>
/// The transport creates the connection and reports it with <see cref="ICoapConnectionTransportContext.Opened"/>. It hands in received
/// bytes as frames; <see cref="ICoapStreamTransportContext.MeasureFrame"/> finds their ends. At the end it calls
/// <see cref="ICoapConnectionTransportContext.Closed"/> once.
/// </remarks>
public abstract class CoapConnection
{
    // Null for sessions: their transport knows these facts, and there may be very many sessions.
    private ConnectionFacts? _facts;
    private int _holds;

    /// <summary>Creates a connection.</summary>
    /// <param name="transport">The transport it belongs to.</param>
    /// <param name="remote">The peer's address.</param>
    /// <param name="local">The local address.</param>
    /// <param name="isInitiator">Whether this endpoint opened the connection; false: the peer did.</param>
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

    /// <summary>The local address.</summary>
    public virtual CoapAddress Local => _facts!.Local;

    /// <summary>Whether this endpoint opened the connection; false: the peer did.</summary>
    public bool IsInitiator { get; }

    /// <summary>
    /// The identity of the peer that the transport has verified, such as a <see cref="CoapTlsPeerIdentity"/>; null without security.
    /// </summary>
    /// <remarks>The transport sets it before <see cref="ICoapConnectionTransportContext.Opened"/>.</remarks>
    public virtual ICoapPeerIdentity? Identity
    {
        get => _facts?.Identity;
        protected init => Facts.Identity = value;
    }

    /// <summary>The ID of the peer, from its <see cref="Identity"/>; null if that does not distinguish it from others.</summary>
    internal virtual CoapPeerId? PeerId => Identity?.Id;

    /// <summary>The server name that the client sent with Server Name Indication or a Host header; null without one.</summary>
    /// <remarks>It is the default of Uri-Host (RFC 8323 section 8.5).</remarks>
    public virtual string? ServerName
    {
        get => _facts?.ServerName;
        protected init => Facts.ServerName = value;
    }

    /// <summary>
    /// An identifier that the connection keeps when another process continues it, as with a stored DTLS session. Not secret.
    /// </summary>
    /// <remarks>Default: empty. The connection then ends with this process.</remarks>
    public virtual ReadOnlyMemory<byte> DurableId => default;

    /// <summary>
    /// Whether this process took the connection over from another process or server, for example from a file or the store of a cluster.
    /// Default false.
    /// </summary>
    public virtual bool IsTakenOver => false;

    /// <summary>The channel of the peer. <see cref="ICoapConnectionTransportContext.Opened"/> sets it.</summary>
    public CoapChannel? Channel { get; internal set; }

    /// <summary>Whether more than <see cref="CoapConnectionLimits.SendQueueSize"/> bytes wait to be sent.</summary>
    /// <remarks>
    /// When the congestion ends, the transport calls <see cref="ICoapStreamTransportContext.CongestionEnded"/>. The library reads this
    /// property under its locks. An implementation must not take a lock that is held while it calls
    /// <see cref="ICoapStreamTransportContext"/>.
    /// </remarks>
    public abstract bool IsCongested { get; }

    /// <summary>The memory of the send backlog in bytes, as of the last <see cref="ICoapStreamTransportContext.BacklogChanged"/>.</summary>
    /// <remarks>
    /// It counts whole buffers, including partly sent ones; <see cref="CoapConnectionLimits.SendMemory"/> limits it. Default:
    /// <see cref="CoapConnectionTransferProgress.BytesWaiting"/>. The rule about locks of <see cref="IsCongested"/> applies.
    /// </remarks>
    public virtual long Backlog => Progress.BytesWaiting;

    /// <summary>The number of the connection within its endpoint, so that state for one is invalid in another; never 0.</summary>
    internal ulong Number { get; set; }

    /// <summary>The capabilities from the CSM of the peer; on a connection of RFC 8323 only.</summary>
    internal ConnectionCapabilities Capabilities
    {
        get => _facts?.Capabilities ?? ConnectionCapabilities.Base;
        set => Facts.Capabilities = value;
    }

    /// <summary>The peer's requests without an answer yet; null on sessions, which do without.</summary>
    internal ConnectionRequestCounter? Requests
    {
        get => _facts?.Requests;
        set => Facts.Requests = value;
    }

    /// <summary>The share of the memory for partial frames; null when the connection never used any.</summary>
    internal ref SourceUsage<CoapConnection>.UsageEntry? Assembly => ref Facts.Assembly;

    /// <summary>The share of the memory for the send backlog; null when the connection never used any.</summary>
    internal ref SourceUsage<CoapConnection>.UsageEntry? Sending => ref Facts.Sending;

    /// <summary>The progress of sending and receiving.</summary>
    /// <remarks>
    /// The endpoint reads it now and then, on any thread, to find slow peers. It need not be exact. The rule about locks of
    /// <see cref="IsCongested"/> applies.
    /// </remarks>
    public abstract CoapConnectionTransferProgress Progress { get; }

    /// <summary>Queues a frame behind earlier ones and takes it over. Neither throws nor blocks.</summary>
    /// <remarks>
    /// A frame with <see cref="CoapDatagram.IsLast"/> closes the connection after it. Later frames, and frames after the end, are disposed.
    /// </remarks>
    /// <param name="frame">The frame.</param>
    public abstract void Send(CoapDatagram frame);

    /// <summary>Stops reading until <see cref="ResumeReading"/>. Frames that were already read may still arrive. Calls nest.</summary>
    public abstract void PauseReading();

    /// <summary>Reverts one <see cref="PauseReading"/>.</summary>
    public abstract void ResumeReading();

    /// <summary>Closes the connection at once and drops the send backlog. Further calls are allowed.</summary>
    /// <remarks><see cref="ICoapConnectionTransportContext.Closed"/> follows, possibly after this method returns.</remarks>
    /// <param name="reason">The reason for the log and <see cref="ICoapConnectionTransportContext.Closed"/>; null for an orderly
    /// end.</param>
    public abstract void Close(CoapException? reason);

    /// <summary>Whether reading is paused because a block of the application has no room for an item of this connection.</summary>
    internal bool IsUnderBackpressure => Volatile.Read(ref _holds) > 0;

    /// <summary>Pauses reading until <see cref="ResumeAfterBackpressure"/>, because a block has no room.</summary>
    internal void PauseForBackpressure()
    {
        Interlocked.Increment(ref _holds);
        PauseReading();
    }

    /// <summary>Reverts one <see cref="PauseForBackpressure"/>.</summary>
    internal void ResumeAfterBackpressure()
    {
        Interlocked.Decrement(ref _holds);
        ResumeReading();
    }

    /// <summary>Formats scheme and address of the peer.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote.ToString(ServerName)}";

    private sealed class ConnectionFacts
    {
        public SourceUsage<CoapConnection>.UsageEntry? Assembly;

        public SourceUsage<CoapConnection>.UsageEntry? Sending;

        public ConnectionCapabilities? Capabilities;

        public ConnectionRequestCounter? Requests;

        public CoapAddress Remote { get; init; }

        public CoapAddress Local { get; init; }

        public ICoapPeerIdentity? Identity { get; set; }

        public string? ServerName { get; set; }
    }
}
