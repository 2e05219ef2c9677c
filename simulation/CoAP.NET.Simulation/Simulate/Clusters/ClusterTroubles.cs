namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>When something went on that may have held up devices.</summary>
internal sealed class ClusterTroubles
{
    // How long a device waits before it takes its session for lost, and how long a while is in which one of its copies gets through.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(46);
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(30);

    // Within which time something is sent to the device after it sent something.
    private static readonly TimeSpan s_answer = TimeSpan.FromSeconds(5);

    private readonly List<(TimeSpan From, TimeSpan To)> _all = [];

    public void Add(TimeSpan from, TimeSpan to) => _all.Add((from, to));

    /// <summary>Whether something goes on.</summary>
    /// <param name="now">When.</param>
    public bool Has(TimeSpan now) => _all.Exists(one => one.From <= now && now < one.To);

    /// <summary>
    /// Whether there was a long enough quiet while before something that a device did by its patience, and the device tried in it. Its last
    /// copy may have come before: then it is silent for half a minute and more until it gives up, and nobody has a reason to say anything.
    /// </summary>
    /// <param name="now">When it did.</param>
    /// <param name="tries">When it sent something that the network let through in both directions.</param>
    public bool HadQuiet(TimeSpan now, IReadOnlyList<TimeSpan> tries)
    {
        bool IsQuiet(TimeSpan since, TimeSpan until) =>
            until - since >= s_quiet && tries.Any(time => time >= since && time + s_answer <= until);

        TimeSpan quietSince = now - s_patience;
        foreach ((TimeSpan from, TimeSpan to) in _all.Where(one => one.To > quietSince).OrderBy(one => one.From))
        {
            if (IsQuiet(quietSince, from))
            {
                return true;
            }

            quietSince = to > quietSince ? to : quietSince;
        }

        return IsQuiet(quietSince, now);
    }
}
