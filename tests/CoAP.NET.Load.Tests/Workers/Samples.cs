using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

internal static class Plans
{
    public static LoadPlan Closed { get; } = new()
    {
        Uri = "coap://127.0.0.1/x",
        Peers = 10,
        Seconds = 5,
        WarmUpSeconds = 1,
        RampSeconds = 1,
        TimeoutSeconds = 1
    };
}

internal static class Ticks
{
    public static LoadProgress Measuring { get; } = new("measuring", FromSeconds(3), FromSeconds(8), 5, 1000, 200, 900, 1, 2);
}

internal static class Results
{
    public static LoadResult Of(LoadPlan plan, long count) =>
        new() { Plan = plan, Seconds = 5, Count = count, Times = [[1000, count]], Series = [new LoadSecond(1, count, 1, 2)] };
}

/// <summary>Scripted runs.</summary>
internal static class Runs
{
    /// <summary>Measures at once as many answers as it has peers.</summary>
    public static LoadRunDelegate Good { get; } = async (plan, progress, gate, cancellationToken) =>
    {
        await gate.ReadyAsync(cancellationToken);
        return Results.Of(plan, plan.Peers);
    };

    /// <summary>Measures until it is cancelled, and returns what it has.</summary>
    public static LoadRunDelegate UntilCancelled(TaskCompletionSource begun) => async (plan, progress, gate, cancellationToken) =>
    {
        await gate.ReadyAsync(cancellationToken);
        begun.TrySetResult();
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return Results.Of(plan, plan.Peers);
    };
}

/// <summary>What was reported, and an event for each.</summary>
internal sealed class Reported : IProgress<LoadProgress>
{
    private readonly SemaphoreSlim _more = new(0);

    public ConcurrentQueue<LoadProgress> Ticks { get; } = new();

    public void Report(LoadProgress value)
    {
        Ticks.Enqueue(value);
        _more.Release();
    }

    public Task NextAsync() => _more.WaitAsync().Guarded();
}

internal static class Guard
{
    // Against hanging for ever, not a measure of anything.
    private static readonly TimeSpan Limit = FromMinutes(2);

    public static Task Guarded(this Task task) => task.WaitAsync(Limit);

    public static Task<T> Guarded<T>(this Task<T> task) => task.WaitAsync(Limit);
}

/// <summary>Tests that move a clock until the process is quiet run alone.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
