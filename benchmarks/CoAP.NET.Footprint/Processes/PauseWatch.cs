namespace CoAP.NET.Footprint.Processes;

/// <summary>
/// Finds the longest time for which the garbage collector held all threads. It looks after each collection, by an object that each
/// collection finds to be garbage; where two collections came before it could look, their pauses are counted as one, so that what it says
/// is never too little.
/// </summary>
internal sealed class PauseWatch
{
    private static readonly PauseWatch s_instance = new();
    private readonly Lock _gate = new();
    private TimeSpan _total = GC.GetTotalPauseDuration();
    private TimeSpan _longest;

    /// <summary>Begins to look.</summary>
    public static PauseWatch Start()
    {
        _ = new Probe();
        return s_instance;
    }

    public TimeSpan Longest
    {
        get
        {
            Look();
            lock (_gate)
            {
                return _longest;
            }
        }
    }

    private void Look()
    {
        lock (_gate)
        {
            TimeSpan total = GC.GetTotalPauseDuration();
            if (total - _total > _longest)
            {
                _longest = total - _total;
            }

            _total = total;
        }
    }

    private sealed class Probe
    {
        ~Probe()
        {
            s_instance.Look();
            if (!Environment.HasShutdownStarted)
            {
                _ = new Probe();
            }
        }
    }
}
