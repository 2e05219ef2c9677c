namespace CoAP.NET.Testing;

/// <summary>The quality of a link between two addresses. Immutable; change it with <c>with</c>.</summary>
/// <remarks>By default there are no faults and no delays.</remarks>
public sealed record NetworkConditions
{
    /// <summary>A perfect network.</summary>
    public static NetworkConditions Perfect { get; } = new();

    /// <summary>The probability that a datagram is lost, 0 to 1. Default 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double Loss { get; init => field = Probability(value); }

    /// <summary>The probability that a datagram arrives twice, 0 to 1. Default 0. The second copy has a delay of its own.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double Duplication { get; init => field = Probability(value); }

    /// <summary>The probability that one byte of a datagram arrives changed, 0 to 1. Default 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double Corruption { get; init => field = Probability(value); }

    /// <summary>
    /// The probability that a datagram is delayed by up to <see cref="ReorderingWindow"/>, so later ones overtake it, 0 to 1. Default 0.
    /// </summary>
    /// <remarks>With 0, datagrams arrive in the order in which they were sent, even if their delays differ.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double Reordering { get; init => field = Probability(value); }

    /// <summary>The maximum additional delay of a reordered datagram. Default 100 ms.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan ReorderingWindow { get; init => field = NotNegative(value); } = TimeSpan.FromMilliseconds(100);

    /// <summary>The minimum delay. Default 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan MinDelay { get; init => field = NotNegative(value); }

    /// <summary>The maximum delay. Default 0.</summary>
    /// <remarks>Delays are distributed evenly. A value below <see cref="MinDelay"/> counts as equal to it.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan MaxDelay { get; init => field = NotNegative(value); }

    /// <summary>The slow section of the link, before the delay; null for none, the default. Links with the same object share it.</summary>
    public NetworkBottleneck? Bottleneck { get; init; }

    /// <summary>The largest datagram that passes, in bytes of UDP payload. Default 65,507.</summary>
    /// <remarks>The range is 0 to 65,507, the maximum of UDP over IPv4. Longer datagrams are lost.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int Mtu
    {
        get; init =>
        field = value is >= 0 and <= 65_507 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "0 to 65,507 bytes.");
    } =
    65_507;

    /// <summary>
    /// Whether the sender gets a report about a datagram longer than <see cref="Mtu"/>, as path-MTU discovery does. Default false: it is
    /// lost silently.
    /// </summary>
    internal bool ReportsTooLong { get; init; }

    /// <summary>Creates conditions with a constant delay only.</summary>
    /// <param name="delay">The delay.</param>
    /// <returns>The conditions.</returns>
    public static NetworkConditions Delayed(TimeSpan delay) => new() { MinDelay = delay, MaxDelay = delay };

    private static double Probability(double value) =>
        value is >= 0 and <= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "A probability is from 0 to 1.");

    private static TimeSpan NotNegative(TimeSpan value) =>
        value >= TimeSpan.Zero ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The time must not be negative.");
}
