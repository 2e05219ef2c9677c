using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Execution;

/// <summary>The scheduler of a browser, where the pool is the thread of the page.</summary>
public sealed class PoolSchedulerTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task Queued_work_runs_on_the_pool_and_not_inside_the_call()
    {
        PoolScheduler scheduler = new();
        TaskCompletionSource<bool> ran = new(RunContinuationsAsynchronously);
        using SemaphoreSlim queued = new(0);
        Assert.True(scheduler.Queue(
            _ => ran.SetResult(Thread.CurrentThread.IsThreadPoolThread && queued.Wait(s_hang)),
            null));
        queued.Release();
        Assert.True(await ran.Task.WaitAsync(s_hang));
    }

    [Fact]
    public async Task An_exception_of_work_is_counted_and_later_work_runs()
    {
        PoolScheduler scheduler = new();
        TaskCompletionSource ran = new(RunContinuationsAsynchronously);
        scheduler.Queue(static _ => throw new InvalidOperationException("no"), null);
        scheduler.Queue(_ => ran.SetResult(), null);
        await ran.Task.WaitAsync(s_hang);
        await Eventually.IsTrueAsync(() => scheduler.Failures == 1);
    }
}
