namespace CoAP.NET.Testing;

/// <summary>
/// How well datagrams get from one address to another. Immutable; change one with <c>with</c>. As made, nothing goes wrong and nothing
/// takes time.
/// </summary>
public sealed record NetworkConditions
{
    /// <summary>A perfect network.</summary>
    public static NetworkConditions Perfect { get; } = new();

    /// <summary>The probability that a datagram is lost, 0 to 1. Default 0.</summary>
    public double Loss { get; init => field = Probability(value); }

    /// <summary>The probability that a datagram arrives twice, 0 to 1. Default 0. The second copy has a delay of its own.</summary>
    public double Duplication { get; init => field = Probability(value); }

    /// <summary>The probability that one byte of a datagram arrives changed, 0 to 1. Default 0.</summary>
    public double Corruption { get; init => field = Probability(value); }

    /// <summary>
    /// The probability that a datagram is held back by up to <see cref="ReorderingWindow"/>, so that later ones overtake it, 0 to 1.
    /// Default 0: then datagrams arrive in the order in which they were sent, also where their delays differ.
    /// </summary>
    public double Reordering { get; init => field = Probability(value); }

    /// <summary>How long a datagram is held back at most. Default 100 ms.</summary>
    public TimeSpan ReorderingWindow { get; init => field = NotNegative(value); } = TimeSpan.FromMilliseconds(100);

    /// <summary>The shortest time on the way. Default 0.</summary>
    public TimeSpan MinDelay { get; init => field = NotNegative(value); }

    /// <summary>
    /// The longest time on the way; delays are spread evenly. A value below <see cref="MinDelay"/> counts as equal to it. Default 0.
    /// </summary>
    public TimeSpan MaxDelay { get; init => field = NotNegative(value); }

    /// <summary>
    /// The slow stretch on the way, before the delay; null for none, which is the default. Links with the same object share it.
    /// </summary>
    public NetworkBottleneck? Bottleneck { get; init; }

    /// <summary>
    /// The largest datagram that gets through, in bytes of UDP payload. Default 65,507, which is all that UDP over IPv4 can carry; 0 to
    /// that. Longer ones are lost.
    /// </summary>
    public int Mtu { get; init =>
        field = value is >= 0 and <= 65_507 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "0 to 65,507 bytes."); } =
    65_507;

    /// <summary>
    /// Whether the sender is told that a datagram is longer than <see cref="Mtu"/>, as path-MTU discovery does. Default false: it is lost
    /// without a word.
    /// </summary>
    public bool ReportsTooLong { get; init; }

    /// <summary>Conditions with a constant delay and nothing else.</summary>
    /// <param name="delay">The time on the way.</param>
    /// <returns>The conditions.</returns>
    public static NetworkConditions Delayed(TimeSpan delay) => new() { MinDelay = delay, MaxDelay = delay };

    private static double Probability(double value) =>
        value is >= 0 and <= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "A probability is from 0 to 1.");

    private static TimeSpan NotNegative(TimeSpan value) =>
        value >= TimeSpan.Zero ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The time must not be negative.");
}
