using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// The services of an endpoint for all its transports: the sink for received messages, clock, limits, counters and log. Thread-safe.
/// </summary>
/// <remarks>
/// <see cref="ICoapDatagramTransportContext"/> and <see cref="ICoapStreamTransportContext"/> add those for each kind of transport. Only the
/// library implements them.
/// </remarks>
public interface ICoapTransportContext
{
    /// <summary>The clock. A transport that uses no other clock runs in virtual time under test.</summary>
    TimeProvider TimeProvider { get; }

    /// <summary>The source of randomness. A transport that uses no other source behaves the same in each run of a test.</summary>
    CoapRandomSource Random { get; }

    /// <summary>The limits of the endpoint. They no longer change.</summary>
    CoapLimits Limits { get; }

    /// <summary>Maps each peer to its source. Every limit that strangers can exhaust needs a share for each source.</summary>
    CoapSourceGroupingRule Sources { get; }

    internal CoapCounters Counters { get; }

    /// <summary>Counts what the transport did, dropped or refused. Never throws.</summary>
    internal void Count(CoapCounter counter, long by = 1);

    /// <summary>Counts a datagram that was sent, as <c>DatagramsSent</c> and <c>BytesSent</c>. Never throws.</summary>
    /// <param name="bytes">Its length in bytes.</param>
    void CountSent(int bytes) => Counters.AddWithAmount(CoapCounter.DatagramsSent, CoapCounter.BytesSent, bytes);

    /// <summary>Counts a datagram that could not be sent, as <c>SendErrors</c>. Never throws.</summary>
    void CountSendError() => Count(CoapCounter.SendErrors);

    /// <summary>Counts received datagrams that were lost below the transport, as <c>KernelDrops</c>. Never throws.</summary>
    /// <param name="datagrams">Their number.</param>
    void CountLost(long datagrams) => Count(CoapCounter.KernelDrops, datagrams);

    /// <summary>
    /// The log of the endpoint. It never throws: exceptions of the application's logger count as <c>StageErrors</c>.
    /// </summary>
    ILogger Logger { get; }

    /// <summary>The threads of the library, for receive loops and for user code that blocks.</summary>
    CoapThreadScheduler Scheduler { get; }

    /// <summary>The number of shards; 1 or more. A peer belongs to the shard that its address hashes to.</summary>
    int ShardCount { get; }

    /// <summary>Whether the endpoint stops.</summary>
    /// <remarks>A transport can then recognize an ending connection as part of the stop, and need not open a new one.</remarks>
    bool IsStopping { get; }

    /// <summary>Returns the index of the shard that owns a peer.</summary>
    /// <remarks>A transport with several receive loops can have one for each shard.</remarks>
    /// <param name="remote">The peer's address.</param>
    /// <returns>0 to <see cref="ShardCount"/> - 1.</returns>
    int ShardOf(CoapAddress remote);

    /// <summary>
    /// Offers a received message to the Transport stage of the shard that owns the peer, and takes it over. Never throws.
    /// </summary>
    /// <remarks>
    /// It runs the stages, and inline user code, before it returns. Only one thread at a time may hand in the messages of one peer.
    /// </remarks>
    /// <param name="datagram">
    /// The message, with <see cref="CoapDatagram.Remote"/>, <see cref="CoapDatagram.Local"/> and <see cref="CoapDatagram.Transport"/> set.
    /// For a connection or session <see cref="CoapDatagram.Channel"/> is set too.
    /// </param>
    void Receive(CoapDatagram datagram);

    /// <summary>Runs the due timers of all shards.</summary>
    /// <remarks>
    /// Only for a transport that drives the clock (<see cref="CoapTransport.DrivesClock"/>). Without such a transport the endpoint has a
    /// timer.
    /// </remarks>
    /// <returns>The time until the next call; <see cref="Timeout.InfiniteTimeSpan"/> when no timer is set.</returns>
    TimeSpan Tick();

    /// <summary>Reports that the transport can receive nothing more. The endpoint then stops and notifies the application.</summary>
    /// <remarks>Further calls are allowed. Do not call it under a lock of the transport.</remarks>
    /// <param name="error">The cause. <see cref="CoapEndpoint.Completion"/> ends with it.</param>
    void Fault(CoapException error);
}
