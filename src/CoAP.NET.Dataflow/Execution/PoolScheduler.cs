namespace CoAP.NET.Execution;

/// <summary>
/// Runs work on the pool of the platform, without a thread of the library. In a browser that pool is the one thread of the page: work that
/// was queued runs when the present work returns. No work may block there.
/// </summary>
internal sealed class PoolScheduler : CoapThreadScheduler
{
    private long _failures;

    /// <summary>How often work threw, although it must not. The process continues.</summary>
    public long Failures => Volatile.Read(ref _failures);

    public override bool Queue(Action<object?> work, object? state)
    {
        ArgumentNullException.ThrowIfNull(work);
#pragma warning disable RS0030 // this is the injected scheduler that all other code uses
        ThreadPool.UnsafeQueueUserWorkItem(
            static item => item.Scheduler.Run(item.Work, item.State), (Scheduler: this, Work: work, State: state), preferLocal: false);
#pragma warning restore RS0030
        return true;
    }

    private void Run(Action<object?> work, object? state)
    {
        try
        {
            work(state);
        }
#pragma warning disable CA1031 // an exception of a work item would end the process
        catch (Exception)
#pragma warning restore CA1031
        {
            Interlocked.Increment(ref _failures);
        }
    }
}
