namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Measurements of memory, for tests that run alone.</summary>
internal static class LiveHeap
{
    /// <summary>
    /// Measures three times and returns the middle one: what the process allocates or frees once meanwhile (megabytes, after some tests)
    /// falls into one of them.
    /// </summary>
    /// <param name="measure">Measures how many bytes something takes.</param>
    public static async Task<long> MiddleOfThreeAsync(Func<Task<long>> measure)
    {
        long[] measured = [await measure(), await measure(), await measure()];
        Array.Sort(measured);
        return measured[1];
    }
}
