namespace CoAP.NET.Cli;

/// <summary>
/// Handles termination signals: the first one requests a clean end, and the operating system handles a later one, for users who do not want
/// to wait. Within a second it counts as the same one: <c>timeout</c> signals the process and then its group, which includes the process.
/// Thread-safe.
/// </summary>
/// <param name="stop">Cancelled by the first one.</param>
/// <param name="time">The clock.</param>
internal sealed class StopSignals(CancellationTokenSource stop, TimeProvider time)
{
    private static readonly TimeSpan s_same = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private long? _first;

    /// <summary>Handles a signal.</summary>
    /// <returns>True if the tool ends by itself; false if the operating system should end it.</returns>
    public bool TryTake()
    {
        lock (_gate)
        {
            if (_first is { } first)
            {
                return time.GetElapsedTime(first) < s_same;
            }

            _first = time.GetTimestamp();
        }

        stop.Cancel();
        return true;
    }
}
