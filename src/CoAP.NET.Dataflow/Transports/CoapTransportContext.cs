using Microsoft.Extensions.Logging;

namespace CoAP.NET.Transports;

/// <summary>What an endpoint gives to its transports: where received datagrams go, the clock, limits, counters and log.</summary>
public abstract class CoapTransportContext
{
    /// <summary>The clock.</summary>
    public abstract TimeProvider TimeProvider { get; }

    /// <summary>The source of randomness.</summary>
    public abstract CoapRandomSource Random { get; }

    /// <summary>The bounds of the endpoint.</summary>
    public abstract CoapLimits Limits { get; }

    /// <summary>Which peers count as one.</summary>
    internal virtual SourceRule Sources => SourceRule.Default;

    /// <summary>The counters of the endpoint.</summary>
    public abstract CoapCounters Counters { get; }

    /// <summary>The log of the endpoint.</summary>
    public abstract ILogger Logger { get; }

    /// <summary>The number of shards; 1 or more. A peer belongs to the shard that its address hashes to.</summary>
    public abstract int ShardCount { get; }

    /// <summary>The threads of the library, for loops and for user code that blocks.</summary>
    public abstract CoapScheduler Scheduler { get; }

    /// <summary>Offers a received datagram to the Transport stage of the shard that owns the peer, and takes it over. Runs the stages, and user code that is inline, before it returns. Never throws.</summary>
    /// <param name="datagram">The datagram with <see cref="CoapDatagram.Remote"/>, <see cref="CoapDatagram.Local"/> and <see cref="CoapDatagram.Transport"/> set.</param>
    public abstract void Receive(CoapDatagram datagram);

    /// <summary>
    /// Says which datagrams are handed in next, one after another: what is known of their peers is fetched from memory meanwhile, of all of them at once. Only a hint, for a transport that
    /// received several together.
    /// </summary>
    /// <param name="datagrams">The datagrams; not taken over.</param>
    internal virtual void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
    }

    /// <summary>The index of the shard that owns a peer.</summary>
    /// <param name="remote">The peer's address.</param>
    /// <returns>0 to <see cref="ShardCount"/> - 1.</returns>
    public abstract int ShardOf(CoapAddress remote);

    /// <summary>
    /// Says that a datagram could not be sent at all. A <see cref="System.Net.Sockets.SocketException"/> that will not pass fails the request at once: no socket of that
    /// address family, too long, forbidden, an invalid argument. Anything else, such as no route, is transient: retransmission goes on. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="datagram">The datagram; not taken over.</param>
    /// <param name="error">What the operating system said.</param>
    public abstract void SendFailed(CoapDatagram datagram, Exception error);

    /// <summary>Whether the endpoint stops, so that what it ends now is ended for that.</summary>
    internal virtual bool IsStopping => false;

    /// <summary>Says that a transport can receive nothing any more, and why: the endpoint stops, and whoever runs it is told. It may be said again. Not to be called under a lock of the transport.</summary>
    internal virtual void Fault(CoapException error)
    {
    }

    /// <summary>Says that the peer's host reported its port unreachable and quoted a datagram of ours (ICMP; RFC 7252 section 4.2).</summary>
    /// <param name="remote">Where our datagram went.</param>
    /// <param name="local">Where it was sent from.</param>
    /// <param name="quoted">The beginning of our datagram, as quoted; at least its first 4 bytes.</param>
    public abstract void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);

    /// <summary>Runs what is due by the clock in all shards. Called by a transport that drives the clock.</summary>
    /// <returns>The time until the next call is needed; <see cref="Timeout.InfiniteTimeSpan"/> when nothing waits.</returns>
    public abstract TimeSpan Tick();

    /// <summary>
    /// Says that a connection was opened: it gets its channel, and our CSM is the first thing sent on it (RFC 8323 section 3.3). To be called before anything is received on it.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <returns>False when it is refused, as a bound is reached or the endpoint stops; then the transport closes it and says nothing more of it.</returns>
    public virtual bool Opened(CoapConnection connection) => false;

    /// <summary>
    /// Finds the end of a frame (RFC 8323 section 3.2). When its beginning breaks a rule or is longer than <see cref="CoapLimits.MaxStreamMessageSize"/>, the connection is aborted, and
    /// nothing more is to be read from it.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="first">The beginning of the frame: all that is there, or at least 8 bytes.</param>
    /// <param name="available">How many bytes are there in all.</param>
    /// <returns>The length of the frame in bytes, whether or not all of it is there; 0 when that cannot be said yet; -1 when the connection was aborted.</returns>
    public virtual long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available) => -1;

    /// <summary>Says that the peer broke a rule of the transport, so that nothing more is to be read from it: the connection is aborted (RFC 8323 section 5.6).</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="reason">What it did, as a sentence; it is the diagnostic payload of the Abort.</param>
    public virtual void Refuse(CoapConnection connection, string reason) => connection.Close(null);

    /// <summary>
    /// Asks for memory for a frame of which only a part is there: one budget for the endpoint (<see cref="CoapLimits.MaxFrameAssemblyBytes"/>), with a share for each source
    /// (<see cref="CoapLimits.StreamSourceShare"/>). When it is full, the endpoint closes the connection whose frame did not grow for longest, of the source that holds most. Not to be called under
    /// a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection; one thread at a time asks for it and gives back.</param>
    /// <param name="bytes">How much more is held.</param>
    /// <returns>False when this connection itself must give way: the transport closes it.</returns>
    public virtual bool TryReserveAssembly(CoapConnection connection, int bytes) => false;

    /// <summary>Gives back what <see cref="TryReserveAssembly"/> gave.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">How much less is held.</param>
    public virtual void ReleaseAssembly(CoapConnection connection, int bytes)
    {
    }

    /// <summary>
    /// Says that more waits to be sent on a connection than before, or less, by some kilobytes: the endpoint reads <see cref="CoapConnection.Progress"/>. What waits on all connections is one budget
    /// (<see cref="CoapLimits.MaxStreamSendBytes"/>), with a share for each source; when it is full, the endpoint closes the connection whose peer took nothing for longest, of the source that holds
    /// most. Need not be called for what the operating system takes at once. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection.</param>
    public virtual void BacklogChanged(CoapConnection connection)
    {
    }

    /// <summary>Says that a connection that was congested takes frames again. Not to be called under a lock of the transport.</summary>
    /// <param name="connection">The connection.</param>
    public virtual void Writable(CoapConnection connection)
    {
    }

    /// <summary>
    /// Says that the peer of a session has another address, as an authentic message newer than all before it came from there (RFC 9146 section 6). Until the peer has shown that it receives there,
    /// it gets little; it is asked at once. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="session">The session; <see cref="CoapSession.Remote"/> is the new address already.</param>
    /// <param name="from">The address before.</param>
    public virtual void Moved(CoapSession session, CoapAddress from)
    {
    }

    /// <summary>Says that the peer will send nothing more (a half-closed connection). What it asked for is answered, then the connection is closed.</summary>
    /// <param name="connection">The connection.</param>
    public virtual void ReceiveEnded(CoapConnection connection) => connection.Close(null);

    /// <summary>Says that a connection has ended, once, after its last frame was handed in. Not to be called under a lock of the transport.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="error">Why; null for an orderly end.</param>
    public virtual void Closed(CoapConnection connection, Exception? error)
    {
    }
}
