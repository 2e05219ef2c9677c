namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Looks, from a thread of its own, whether anything goes on in a process with one thread: a loop that never gives the thread back, or a
/// thread that waits for something, would hold up all seeds for ever.
/// </summary>
internal sealed class StandstillWatchdog : IDisposable
{
    // Of the processor for one piece of work, which takes some milliseconds, however busy the machine is; and by the clock.
    private static readonly TimeSpan s_mostWork = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    private readonly ManualResetEvent _ended = new(false);
    private readonly Action<string> _tell;

    /// <param name="tell">Is told that nothing goes on.</param>
    public StandstillWatchdog(Action<string> tell)
    {
        _tell = tell;
        new Thread(Watch) { IsBackground = true, Name = "Watchdog" }.Start();
    }

    public void Dispose() => _ended.Set();

    private void Watch()
    {
        (long progress, TimeSpan work, long since) = (-1, default, 0);
        while (!_ended.WaitOne(s_pause))
        {
            TimeSpan worked = Environment.CpuUsage.TotalTime;
            long now = TimeProvider.System.GetTimestamp();
            if (AloneDrive.Progress is var newest && newest != progress)
            {
                (progress, work, since) = (newest, worked, now);
            }
            else if (worked - work > s_mostWork || TimeProvider.System.GetElapsedTime(since, now) > s_longest)
            {
                _tell($"Nothing has come to its end for {TimeProvider.System.GetElapsedTime(since, now).TotalSeconds:0} s, in "
                    + $"{(worked - work).TotalSeconds:0} s of the processor. Timers that fired last: {NodeTime.LastFired}.");
                return;
            }
        }
    }
}
