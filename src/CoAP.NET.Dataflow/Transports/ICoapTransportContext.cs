using Microsoft.Extensions.Logging;

namespace CoAP.NET.Transports;

/// <summary>
/// What an endpoint gives to every one of its transports: where received messages go, the clock, limits, counters and log. What a transport
/// of datagrams, of streams or of sessions gets besides is in <see cref="ICoapDatagramContext"/>, <see cref="ICoapStreamContext"/> and
/// <see cref="ICoapSessionContext"/>. No member has a default: a transport that stands on another one hands each of them on or answers it
/// itself, and one that is forgotten does not compile. Thread-safe.
/// </summary>
public interface ICoapTransportContext
{
    /// <summary>The clock. A transport that takes all times from it runs in virtual time under test.</summary>
    TimeProvider TimeProvider { get; }

    /// <summary>The source of randomness. A transport that uses no other one behaves the same in each run of a test.</summary>
    CoapRandomSource Random { get; }

    /// <summary>The limits of the endpoint; they do not change any more.</summary>
    CoapLimits Limits { get; }

    /// <summary>Which peers count as one source. Every limit that strangers can fill needs a share for each source.</summary>
    CoapSourceRule Sources { get; }

    /// <summary>The counters of the endpoint.</summary>
    CoapCounters Counters { get; }

    /// <summary>
    /// The log of the endpoint. It never throws: what a logger of the user throws counts as <see cref="CoapCounter.StageErrors"/>.
    /// </summary>
    ILogger Logger { get; }

    /// <summary>The threads of the library, for receive loops and for user code that blocks.</summary>
    CoapScheduler Scheduler { get; }

    /// <summary>The number of shards; 1 or more. A peer belongs to the shard that its address hashes to.</summary>
    int ShardCount { get; }

    /// <summary>
    /// Whether the endpoint stops. A transport that ends something now can tell from it that this is part of the stop, and need not open
    /// anything new.
    /// </summary>
    bool IsStopping { get; }

    /// <summary>The index of the shard that owns a peer. A transport with several receive loops can have one for each shard.</summary>
    /// <param name="remote">The peer's address.</param>
    /// <returns>0 to <see cref="ShardCount"/> - 1.</returns>
    int ShardOf(CoapAddress remote);

    /// <summary>
    /// Offers a received message to the Transport stage of the shard that owns the peer, and takes it over. Runs the stages, and user code
    /// that is inline, before it returns. Never throws. What comes from one peer is to be handed in by one thread at a time.
    /// </summary>
    /// <param name="datagram">
    /// The message, with <see cref="CoapDatagram.Remote"/>, <see cref="CoapDatagram.Local"/> and <see cref="CoapDatagram.Transport"/> set;
    /// of a connection or session also with its <see cref="CoapDatagram.Channel"/>.
    /// </param>
    void Receive(CoapDatagram datagram);

    /// <summary>
    /// Runs what is due by the clock in all shards. Only for a transport that drives the clock (<see cref="CoapTransport.DrivesClock"/>);
    /// without one the endpoint has a timer.
    /// </summary>
    /// <returns>The time until the next call is needed; <see cref="Timeout.InfiniteTimeSpan"/> when nothing waits.</returns>
    TimeSpan Tick();

    /// <summary>
    /// Says that the transport can receive nothing any more, and why: the endpoint stops, and whoever runs it is told. It may be said
    /// again. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="error">What happened; it is what <see cref="CoapEndpoint.Completion"/> ends with.</param>
    void Fault(CoapException error);
}
