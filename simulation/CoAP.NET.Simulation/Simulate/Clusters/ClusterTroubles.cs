namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>When something went on that may have held up devices.</summary>
internal sealed class ClusterTroubles
{
    // How long a device waits before it takes its session for lost, and how long a while is in which one of its copies gets through.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(46);
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(30);

    private readonly List<(TimeSpan From, TimeSpan To)> _all = [];

    public void Add(TimeSpan from, TimeSpan to) => _all.Add((from, to));

    /// <summary>Whether something goes on.</summary>
    /// <param name="now">When.</param>
    public bool Has(TimeSpan now) => _all.Exists(one => one.From <= now && now < one.To);

    /// <summary>Whether there was a long enough quiet while before something that a device did by its patience.</summary>
    /// <param name="now">When it did.</param>
    public bool HadQuiet(TimeSpan now)
    {
        TimeSpan quietSince = now - s_patience;
        foreach ((TimeSpan from, TimeSpan to) in _all.Where(one => one.To > quietSince).OrderBy(static one => one.From))
        {
            if (from - quietSince >= s_quiet)
            {
                return true;
            }

            quietSince = to > quietSince ? to : quietSince;
        }

        return now - quietSince >= s_quiet;
    }
}
