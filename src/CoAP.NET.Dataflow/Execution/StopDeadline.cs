namespace CoAP.NET.Execution;

/// <summary>The time that an endpoint has to stop: the grace period, and a moment more for what is on its way when that is over.</summary>
internal sealed class StopDeadline : IDisposable
{
    // For refusals to pass the blocks of the application, and for their blocks to complete.
    private static readonly TimeSpan s_longestSettling = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly long _began;
    private readonly TimeSpan _gracePeriod;
    private readonly CancellationTokenSource _grace;
    private readonly CancellationTokenRegistration _cut;
    private readonly Lock _gate = new();
    private CancellationTokenSource? _settling;

    /// <summary>Starts the grace period.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="gracePeriod">The duration of the grace period.</param>
    /// <param name="cut">Ends the grace period early.</param>
    public StopDeadline(TimeProvider time, TimeSpan gracePeriod, CancellationToken cut)
    {
        _time = time;
        _began = time.GetTimestamp();
        _gracePeriod = gracePeriod;
        _grace = new CancellationTokenSource(gracePeriod, time);
        _cut = cut.UnsafeRegister(static grace => ((CancellationTokenSource)grace!).Cancel(), _grace);
    }

    /// <summary>The rest of the grace period; zero when it is over.</summary>
    public TimeSpan Left
    {
        get
        {
            TimeSpan left = _gracePeriod - _time.GetElapsedTime(_began);
            return _grace.IsCancellationRequested || left < TimeSpan.Zero ? TimeSpan.Zero : left;
        }
    }

    /// <summary>Cancelled when the grace period is over.</summary>
    public CancellationToken GraceEnded => _grace.Token;

    /// <summary>Waits for a task until the grace period is over.</summary>
    /// <param name="task">The task. Its exception is not thrown.</param>
    /// <returns>Whether the task has completed.</returns>
    public Task<bool> InGraceAsync(Task task) => WaitAsync(task, _grace.Token);

    /// <summary>Waits for a task until the grace period is over, and a second more in all for every caller together.</summary>
    /// <param name="task">The task. Its exception is not thrown.</param>
    /// <returns>Whether the task has completed.</returns>
    public async Task<bool> InTimeAsync(Task task) =>
        await InGraceAsync(task).ConfigureAwait(false) || await WaitAsync(task, Settling()).ConfigureAwait(false);

    /// <inheritdoc/>
    public void Dispose()
    {
        _cut.Dispose();
        _grace.Dispose();
        _settling?.Dispose();
    }

    private static async Task<bool> WaitAsync(Task task, CancellationToken end)
    {
        await task.WaitAsync(end).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompleted;
    }

    private CancellationToken Settling()
    {
        lock (_gate)
        {
            return (_settling ??= new CancellationTokenSource(s_longestSettling, _time)).Token;
        }
    }
}
