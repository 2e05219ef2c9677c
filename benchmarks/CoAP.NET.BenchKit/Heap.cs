namespace CoAP.NET.Bench;

/// <summary>The managed heap.</summary>
internal static class Heap
{
    private const int Tries = 20;
    private const int Still = 64 * 1024;

    /// <summary>
    /// Bytes of objects that something refers to, after collections of everything until it does not become less: what was measured before
    /// may go bit by bit, as its threads end and pools give up arrays.
    /// </summary>
    public static long LiveBytes()
    {
        long before = long.MaxValue;
        for (int i = 0; ; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
            long bytes = GC.GetTotalMemory(forceFullCollection: true);
            if (i == Tries || (i > 0 && before - bytes < Still))
            {
                return bytes;
            }

            before = bytes;
        }
    }
}
