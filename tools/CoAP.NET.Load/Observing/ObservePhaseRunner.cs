using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Observing;

/// <summary>Runs the phases of a run, and reports and records each second.</summary>
/// <param name="plan">The plan.</param>
/// <param name="figures">The figures to report.</param>
/// <param name="progress">Receives the progress; null for none.</param>
internal sealed class ObservePhaseRunner(LoadPlan plan, ObserveFigures figures, IProgress<LoadProgress>? progress)
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private readonly long _begun = TimeProvider.System.GetTimestamp();
    private volatile int _peers;

    public int Peers
    {
        get => _peers;
        set => _peers = value;
    }

    private TimeSpan Whole => TimeSpan.FromSeconds(plan.RampSeconds + plan.WarmUpSeconds + plan.Seconds);

    /// <summary>Reports the progress each second until a task has ended.</summary>
    public async Task DuringAsync(string phase, Task task)
    {
        TimeProvider time = TimeProvider.System;
        long last = time.GetTimestamp();
        Report(phase, 0, 0);
        while (!task.IsCompleted)
        {
            using CancellationTokenSource ended = new();
            Task second = Task.Delay(s_second, time, ended.Token);
            if (await Task.WhenAny(task, second).ConfigureAwait(false) == task)
            {
                await ended.CancelAsync().ConfigureAwait(false);
                break;
            }

            Report(phase, 0, time.GetElapsedTime(last).TotalSeconds);
            last = time.GetTimestamp();
        }

        await task.ConfigureAwait(false);
    }

    /// <summary>Waits for a time, or ends early on cancellation.</summary>
    /// <returns>Each of its seconds; the last one may be partial.</returns>
    public async Task<IReadOnlyList<LoadSecond>> PassAsync(string phase, double seconds, CancellationToken cancellationToken)
    {
        TimeProvider time = TimeProvider.System;
        TimeSpan whole = TimeSpan.FromSeconds(seconds);
        long begun = time.GetTimestamp();
        TimeSpan last = TimeSpan.Zero;
        List<LoadSecond> series = [];
        Report(phase, 0, 0);
        for (int i = 1; last < whole && !cancellationToken.IsCancellationRequested; i++)
        {
            TimeSpan due = i * s_second < whole ? i * s_second : whole;
            while (due - time.GetElapsedTime(begun) is { Ticks: > 0 } wait && !cancellationToken.IsCancellationRequested)
            {
                // Timers are as fine as a millisecond.
                TimeSpan pause = wait < TimeSpan.FromMilliseconds(1) ? TimeSpan.FromMilliseconds(1) : wait;
                await Task.Delay(pause, time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            TimeSpan now = time.GetElapsedTime(begun);
            series.Add(Report(phase, now.TotalSeconds, (now - last).TotalSeconds));
            last = now;
        }

        return series;
    }

    private LoadSecond Report(string phase, double at, double length)
    {
        (LoadSecond second, long errors, long lost) = figures.TakeSecond(at, length);
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(_begun);
        progress?.Report(
            new LoadProgress(phase, elapsed, elapsed > Whole ? elapsed
                : Whole, Peers, second.PerSecond, second.P50, second.P99, errors, lost));
        return second;
    }
}
