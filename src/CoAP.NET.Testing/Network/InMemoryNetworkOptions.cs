namespace CoAP.NET.Testing;

/// <summary>
/// How an <see cref="InMemoryNetwork"/> works. What happens to datagrams on the way is said by <see cref="NetworkConditions"/>.
/// </summary>
public sealed record InMemoryNetworkOptions
{
    /// <summary>All chance comes from here. Default 1. The same seed, the same datagrams on each link: the same trace.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>The conditions of all links that have none of their own. Default perfect.</summary>
    public NetworkConditions Conditions { get; init; } = NetworkConditions.Perfect;

    /// <summary>
    /// Whether a datagram that takes no time arrives without the clock going on. Default true: what is due is delivered when a
    /// <see cref="ScriptedPeer"/> sends or looks for datagrams, and by <see cref="Scheduler"/> when there is one. If false, only the clock
    /// (be it advanced by zero) and <see cref="InMemoryNetwork.Pump"/> deliver. In neither case does anything arrive inside the sender's
    /// call.
    /// </summary>
    public bool DeliverImmediately { get; init; } = true;

    /// <summary>
    /// What delivers when <see cref="DeliverImmediately"/> is set and a transport sends; default null: nothing does.
    /// <see cref="CoapScheduler.Default"/> makes the network run by itself on a thread. One that runs work inline cannot be used, since
    /// nothing arrives inside the sender's call: it has no effect.
    /// </summary>
    public CoapScheduler? Scheduler { get; init; }

    /// <summary>
    /// Whether a sender is told when nobody has the address it sent to, as a host does by ICMP, with the beginning of its datagram. Default
    /// false: silence.
    /// </summary>
    public bool ReportsPortUnreachable { get; init; }

    /// <summary>How many events the trace keeps; the oldest go first. Default 100,000.</summary>
    public int MaxTraceLength { get; init =>
        field = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The length must not be negative."); } =
    100_000;
}
