#pragma warning disable RS0030 // the pool is what is run empty here
using System.Reflection;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Lets virtual time pass in a process whose thread pool has one thread, which is this one: when nothing is queued, nothing can happen any
/// more until the clock goes on. That is exact, and takes a microsecond, where other drives have to look at all threads of the process.
/// </summary>
/// <param name="clock">The clock.</param>
internal sealed class AloneDrive(VirtualClock clock)
{
    /// <summary>What has to be in the environment of the process: .NET then believes that there is one processor.</summary>
    public const string Variable = "DOTNET_PROCESSOR_COUNT";

    /// <summary>Has the pool have one thread, if the process was started so that this is possible.</summary>
    /// <returns>Whether it is so.</returns>
    public static bool TryBeAlone() =>
        Environment.ProcessorCount == 1 && ThreadPool.SetMinThreads(1, 1) && ThreadPool.SetMaxThreads(1, 1);

    // Far more than ever happens in a moment.
    private const int MaxAtOnce = 20_000;
    private const int MaxShown = 20;
    private static readonly TimeSpan s_while = TimeSpan.FromMilliseconds(10);

    private static long s_progress;

    private TimeSpan _since;
    private int _stepsAtOnce;

    /// <summary>A number that changes as long as anything goes on in the process, for another thread to look at.</summary>
    public static long Progress => Volatile.Read(ref s_progress);

    /// <summary>How many steps were made.</summary>
    public long Steps { get; private set; }

    /// <summary>With how many steps a run counts as endless: far more than the ten thousands of a run with a few devices.</summary>
    public long MaxSteps { get; set; } = 2_000_000;

    /// <summary>Lets time pass until something is true, or a time is over.</summary>
    /// <param name="holds">What is waited for; asked after each step.</param>
    /// <param name="max">How long at most.</param>
    /// <returns>Whether it is true.</returns>
    /// <exception cref="EndlessRunException">Something goes on for ever without time passing, or the run does not end.</exception>
    public async Task<bool> UntilAsync(Func<bool> holds, TimeSpan max)
    {
        TimeSpan end = clock.Elapsed + max;
        await HopAsync();
        while (true)
        {
            for (int hops = 0; ThreadPool.PendingWorkItemCount > 0; hops++)
            {
                ThrowIfEndless(hops);
                Volatile.Write(ref s_progress, s_progress + 1);
                await HopAsync();
            }

            if (holds())
            {
                return true;
            }

            if (clock.Elapsed >= end)
            {
                return false;
            }

            Steps++;
            Volatile.Write(ref s_progress, s_progress + 1);
            _stepsAtOnce = clock.Elapsed - _since < s_while ? _stepsAtOnce + 1 : 0;
            _since = _stepsAtOnce == 0 ? clock.Elapsed : _since;
            ThrowIfEndless(_stepsAtOnce);
            clock.AdvanceTo(clock.NextDue is { } next && next < end ? next : end);
        }
    }

    // Something that waits for something else without time passing would go on for ever.
    private void ThrowIfEndless(int count)
    {
        if (count > MaxAtOnce || Steps > MaxSteps)
        {
            IEnumerable<string?> queued = typeof(ThreadPool).GetMethod("GetQueuedWorkItems", BindingFlags.NonPublic | BindingFlags.Static)
                ?.Invoke(null, null) is IEnumerable<object> items ? items.Select(item => item.GetType().ToString()) : [];
            throw new EndlessRunException(
                $"{(count > MaxAtOnce ? $"{count:N0} times something was done while no time passed" : $"{Steps:N0} steps were made")}. "
                + $"Queued: {string.Join(", ", queued.Take(MaxShown))}. Timers: {NodeTime.LastFired}.");
        }
    }

    /// <summary>Goes on after all that was queued before.</summary>
    private static Task HopAsync()
    {
        TaskCompletionSource hop = new();
        ThreadPool.UnsafeQueueUserWorkItem(hop => hop.SetResult(), hop, preferLocal: false);
        return hop.Task;
    }
}
