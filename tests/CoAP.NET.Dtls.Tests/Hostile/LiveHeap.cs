namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>The managed heap, for tests that run alone.</summary>
internal static class LiveHeap
{
    private const int Tries = 20;
    private const int Still = 64 * 1024;

    /// <summary>Bytes of objects that something refers to, after collections of everything until it does not become less: what tests before left may go bit by bit, such as arrays of a pool.</summary>
    public static long Bytes()
    {
        long before = long.MaxValue;
        for (int i = 0; ; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            long bytes = GC.GetTotalMemory(forceFullCollection: true);
            if (i == Tries || (i > 0 && before - bytes < Still))
            {
                return bytes;
            }

            before = bytes;
        }
    }

    /// <summary>Measures again when what was let go meanwhile was more than what was made: then it was another's.</summary>
    /// <param name="measure">Measures what something takes.</param>
    public static async Task<long> TakesAsync(Func<Task<long>> measure)
    {
        const int most = 5;
        for (int i = 1; ; i++)
        {
            long bytes = await measure();
            if (bytes > 0 || i == most)
            {
                return bytes;
            }
        }
    }
}
