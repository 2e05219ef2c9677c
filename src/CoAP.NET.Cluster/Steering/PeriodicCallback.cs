namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Calls something again and again: with the clock of the system on a thread of its own, because a thread pool without a free thread must
/// not delay it; with any other clock by its timer.
/// </summary>
internal sealed class PeriodicCallback : IDisposable
{
    private readonly ManualResetEvent _ended = new(false);
    private readonly TimeSpan _period;
    private readonly Action _beat;

    private PeriodicCallback(TimeSpan period, Action beat)
    {
        _period = period;
        _beat = beat;
    }

    /// <summary>Starts the calls, which end with the disposal of the result. Exceptions are not caught.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="period">The time between them.</param>
    /// <param name="beat">The callback.</param>
    public static IDisposable Start(TimeProvider time, TimeSpan period, Action beat)
    {
        if (time != TimeProvider.System)
        {
            return time.CreateTimer(static beat => ((Action)beat!)(), beat, period, period);
        }

        PeriodicCallback beats = new(period, beat);
        new Thread(beats.Run) { IsBackground = true, Name = "CoAP standstill watch" }.Start();
        return beats;
    }

    public void Dispose() => _ended.Set();

    private void Run()
    {
        while (!_ended.WaitOne(_period))
        {
            _beat();
        }

        _ended.Dispose();
    }
}
