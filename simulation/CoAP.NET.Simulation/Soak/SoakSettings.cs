namespace CoAP.NET.Simulation.Soak;

/// <summary>How large a soak is. The short one has the same parts, but fewer and quicker ones.</summary>
internal sealed record SoakSettings
{
    /// <summary>How long requests are sent.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>Requests begun in a second.</summary>
    public int Rate { get; init; } = 2000;

    /// <summary>Clients over the lossy path.</summary>
    public int DatagramClients { get; init; } = 32;

    /// <summary>Clients over connections that are cut now and then.</summary>
    public int StreamClients { get; init; } = 4;

    /// <summary>The part of the datagrams that is lost, in each direction.</summary>
    public double Loss { get; init; } = 0.1;

    /// <summary>ACK_TIMEOUT of both ends. Shorter than the RFC's for an unknown path, as this one is known.</summary>
    public TimeSpan AckTimeout { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>How long a Non-confirmable request waits for its answer.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>How long one operation may take with everything: what lasts longer ends with a time-out by itself.</summary>
    public TimeSpan Limit { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>A client goes and a new one comes.</summary>
    public TimeSpan Turnover { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>A connection is cut.</summary>
    public TimeSpan Cutting { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The observed resources change.</summary>
    public TimeSpan Changing { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The process is looked at.</summary>
    public TimeSpan Sampling { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The tables have filled and nothing more may grow: EXCHANGE_LIFETIME, and the time that a peer that has gone is remembered.
    /// </summary>
    public TimeSpan WarmUp { get; init; } = TimeSpan.FromMinutes(6);

    /// <summary>By how much the heap may grow after that.</summary>
    public long HeapSlack { get; init; } = 8L << 20;

    /// <summary>By how much the memory of the process may grow after that.</summary>
    public long ResidentSlack { get; init; } = 64L << 20;

    /// <summary>By how many descriptors and threads the last quarter may stand above the first.</summary>
    public int HandleSlack { get; init; } = 24;

    /// <summary>The defects that are planted: <c>leak</c>, <c>lost</c>, <c>unobserved</c>, <c>handle</c>, <c>log</c>.</summary>
    public IReadOnlyList<string> Plant { get; init; } = [];

    /// <summary>Where chance begins.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>
    /// Settings for a time: what takes less than ten minutes cannot wait until all tables are full, and is allowed more growth.
    /// </summary>
    public static SoakSettings For(TimeSpan duration) => duration >= TimeSpan.FromMinutes(10)
        ? new SoakSettings { Duration = duration }
        : new SoakSettings
        {
            Duration = duration,
            Turnover = Min(TimeSpan.FromSeconds(1), duration / 8),
            Cutting = Min(TimeSpan.FromSeconds(2), duration / 5),
            Sampling = Min(TimeSpan.FromSeconds(5), duration / 12),
            WarmUp = duration / 3,
            HeapSlack = (long)(32 + (duration.TotalSeconds / 5)) << 20,
            ResidentSlack = (long)(128 + (duration.TotalSeconds / 2)) << 20,
        };

    private static TimeSpan Min(TimeSpan one, TimeSpan other) => one < other ? one : other;
}
