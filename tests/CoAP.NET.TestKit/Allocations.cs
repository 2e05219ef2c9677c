using System.Diagnostics;
using System.Reflection;

namespace CoAP.NET.Tests.Shared;

/// <summary>What code allocates on the thread that runs it.</summary>
internal static class Allocations
{
    /// <summary>How often <see cref="Least"/> runs the code.</summary>
    public const int Runs = 5;

    private static readonly bool s_isDebug =
        typeof(CoapMessage).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true };

    /// <summary>Skips a test in a debug build, where the compiler makes objects of structures that are on the stack otherwise.</summary>
    public static void NeedOptimizedCode() =>
        Assert.SkipWhen(s_isDebug, "It counts what optimized code allocates. Run it with -c Release.");

    /// <summary>
    /// The bytes that the cheapest of <see cref="Runs"/> runs allocates. The runtime allocates now and then on whatever thread is at hand,
    /// as when it optimizes a method or a cache of its own grows, which on a busy machine happens late. What the code itself allocates it
    /// allocates in each run.
    /// </summary>
    /// <param name="run">The code. Let it repeat what it measures often enough that an allocation now and then falls into each run.</param>
    public static long Least(Action run)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Runs; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            run();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
