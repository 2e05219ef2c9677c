namespace CoAP.NET.Footprint;

/// <summary>How peers become known.</summary>
internal static class Introduction
{
    private static readonly TimeSpan s_afterwards = TimeSpan.FromSeconds(2.5);

    /// <summary>Has each peer ask twice, so long after one another that it is a newcomer no more.</summary>
    /// <param name="clock">The time of the server.</param>
    /// <param name="peers">How many.</param>
    /// <param name="group">How many of them are newcomers at a time.</param>
    /// <param name="ask">Has a peer ask; told its number and how often it did before.</param>
    public static void Run(ManualClock clock, int peers, int group, Action<int, int> ask)
    {
        for (int from = 0; from < peers; from += group)
        {
            int to = Math.Min(peers, from + group);
            for (int round = 0; round < 2; round++)
            {
                for (int peer = from; peer < to; peer++)
                {
                    ask(peer, round);
                }

                clock.Advance(s_afterwards);
            }
        }
    }
}
