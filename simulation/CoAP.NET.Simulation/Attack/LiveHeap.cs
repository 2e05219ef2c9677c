namespace CoAP.NET.Simulation.Attack;

/// <summary>The managed heap.</summary>
internal static class LiveHeap
{
    public const double MiB = 1024 * 1024;

    /// <summary>Bytes of objects that something refers to, after a collection of everything.</summary>
    public static long Measure()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
