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

    /// <summary>Says that the peer's host reported its port unreachable and quoted a datagram of ours (ICMP; RFC 7252 section 4.2).</summary>
    /// <param name="remote">Where our datagram went.</param>
    /// <param name="local">Where it was sent from.</param>
    /// <param name="quoted">The beginning of our datagram, as quoted; at least its first 4 bytes.</param>
    public abstract void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);

    /// <summary>Runs what is due by the clock in all shards. Called by a transport that drives the clock.</summary>
    /// <returns>The time until the next call is needed; <see cref="Timeout.InfiniteTimeSpan"/> when nothing waits.</returns>
    public abstract TimeSpan Tick();
}
