namespace CoAP.NET.Testing;

/// <summary>Configures an <see cref="InMemoryNetwork"/>. <see cref="NetworkConditions"/> describes the faults of its links.</summary>
public sealed class InMemoryNetworkOptions
{
    /// <summary>The seed of all randomness. Default 1. The same seed and the same datagrams on each link give the same trace.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>The conditions of all links without conditions of their own. Default perfect.</summary>
    public NetworkConditions Conditions { get; init; } = NetworkConditions.Perfect;

    /// <summary>Whether a datagram without delay arrives without the clock advancing. Default true.</summary>
    /// <remarks>
    /// If true, due datagrams are delivered when a <see cref="ScriptedPeer"/> sends or looks for datagrams, and by <see cref="Scheduler"/>
    /// if it is set. If false, only the clock (even advanced by zero) and <see cref="InMemoryNetwork.Pump"/> deliver. Nothing ever arrives
    /// inside the sender's call.
    /// </remarks>
    internal bool DeliverImmediately { get; init; } = true;

    /// <summary>
    /// Delivers datagrams at once when a transport sends, if the network is set so. Default null: nothing delivers then.
    /// </summary>
    /// <remarks>
    /// With <see cref="CoapThreadScheduler.Default"/> the network runs by itself on a thread. A scheduler that runs work inline has no
    /// effect, because nothing arrives inside the sender's call.
    /// </remarks>
    public CoapThreadScheduler? Scheduler { get; init; }

    /// <summary>
    /// Whether a sender gets a report when no host has the destination address, like ICMP, with the beginning of its datagram. Default
    /// false: silence.
    /// </summary>
    public bool ReportsPortUnreachable { get; init; }

    /// <summary>The maximum number of events in the trace; the oldest are removed first. Default 100,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxTraceLength
    {
        get; init =>
        field = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The length must not be negative.");
    } =
    100_000;
}
