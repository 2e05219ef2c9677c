namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Measurements of memory, for tests that run alone.</summary>
internal static class LiveHeap
{
    private const int MostTries = 12;

    /// <summary>
    /// Measures three times and returns the middle one: what the process allocates or frees once meanwhile (megabytes, after some tests)
    /// falls into one of them. A measurement in which more was freed than allocated says nothing, and is made again.
    /// </summary>
    /// <param name="measure">Measures how many bytes something takes.</param>
    public static async Task<long> MiddleOfThreeAsync(Func<Task<long>> measure)
    {
        List<long> measured = [];
        for (int i = 0; i < MostTries && measured.Count < 3; i++)
        {
            long bytes = await measure();
            if (bytes > 0)
            {
                measured.Add(bytes);
            }
        }

        Assert.Equal(3, measured.Count);
        measured.Sort();
        return measured[1];
    }
}
