namespace CoAP.NET.Simulation.Machine;

/// <summary>
/// A thread pool that has all its threads from the start, for processes in which a later one would be a fault of its own.
/// </summary>
internal static class PoolThreads
{
    private const int Count = 8;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(5);

    /// <summary>What the process is started with.</summary>
    public static IReadOnlyDictionary<string, string?> Variables { get; } = new Dictionary<string, string?>
    {
        ["DOTNET_ThreadPool_ForceMinWorkerThreads"] = Count.ToString("x"),
        ["DOTNET_ThreadPool_ForceMaxWorkerThreads"] = Count.ToString("x"),
    };

    /// <summary>Makes them.</summary>
    public static async Task FillAsync()
    {
        using Barrier all = new(Count);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(_ =>
        {
            TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
#pragma warning disable RS0030 // the pool is what is to be filled
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    all.SignalAndWait(s_limit);
                    done.SetResult();
                },
                null);
#pragma warning restore RS0030
            return done.Task;
        }));
    }
}
