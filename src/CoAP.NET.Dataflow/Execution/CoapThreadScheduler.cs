using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// Provides the threads of the library: receive loops, stand-by threads that take over when user code blocks, and threads for slow
/// resources.
/// </summary>
/// <remarks>
/// It is injected, so tests can run everything on one thread. The library does not use the shared thread pool for these, because a pool
/// that others block must not stop a server.
/// </remarks>
public abstract class CoapThreadScheduler
{
    /// <summary>The library's own background threads, shared by all endpoints of the process. Idle threads end by themselves.</summary>
    /// <remarks>A browser has no threads. There the work runs on the thread of the page, when the present work has returned.</remarks>
    public static CoapThreadScheduler Default { get; } = OperatingSystem.IsBrowser() ? new PoolScheduler() : new CoapThreadPool();

    /// <summary>Runs short work on a thread of the library.</summary>
    /// <param name="work">The work; it must not throw.</param>
    /// <param name="state">Passed to the work.</param>
    /// <returns>True if a thread was available; otherwise nothing runs.</returns>
    public abstract bool Queue(Action<object?> work, object? state);

    /// <summary>Like <see cref="Queue"/>, but a scheduler that throws counts as one without a free thread.</summary>
    /// <remarks>The exception counts as <c>StageErrors</c> and never leaves this method.</remarks>
    /// <param name="work">The work; it must not throw.</param>
    /// <param name="state">Passed to the work.</param>
    /// <param name="counters">The counters for exceptions; null to count nothing.</param>
    /// <param name="logger">The log for exceptions.</param>
    /// <returns>True if a thread was available; otherwise nothing runs.</returns>
    internal bool TryQueue(Action<object?> work, object? state, CoapCounters? counters, ILogger? logger)
    {
        ArgumentNullException.ThrowIfNull(work);
        try
        {
            return Queue(work, state);
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            counters?.Add(CoapCounter.StageErrors);
            if (logger is not null)
            {
                Log.StageFailed(logger, exception);
            }

            return false;
        }
    }

    /// <summary>Whether code that awaits a response also continues on this scheduler. Default false.</summary>
    /// <remarks>A scheduler of virtual time returns true, because a run is reproducible only when no other thread takes part.</remarks>
    public virtual bool TakesContinuations => false;
}
