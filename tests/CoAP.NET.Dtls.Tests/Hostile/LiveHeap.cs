namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Measurements of the managed heap, for tests that run alone.</summary>
internal static class LiveHeap
{
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
