namespace CoAP.NET.Footprint;

/// <summary>The managed heap.</summary>
internal static class Heap
{
    /// <summary>Bytes of objects that something refers to, after a collection of everything.</summary>
    public static long LiveBytes()
    {
        for (int i = 0; i < 2; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
