namespace CoAP.NET.Cli;

/// <summary>
/// What signals to end mean: the first one asks for an orderly end, and a later one is left to the operating system, for those who cannot
/// wait. Within a second it is the same wish once more: <c>timeout</c> signals the process and then its group, which it is part of.
/// Thread-safe.
/// </summary>
/// <param name="stop">Is cancelled by the first one.</param>
/// <param name="time">The clock.</param>
internal sealed class StopSignals(CancellationTokenSource stop, TimeProvider time)
{
    private static readonly TimeSpan s_same = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private long? _first;

    /// <summary>A signal came.</summary>
    /// <returns>Whether the tool ends by itself; otherwise the operating system is to end it.</returns>
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
