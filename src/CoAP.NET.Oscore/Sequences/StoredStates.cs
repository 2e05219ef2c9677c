namespace CoAP.NET.Oscore;

/// <summary>What all stores refuse in the same words.</summary>
internal static class StoredStates
{
    /// <summary>Checks the bound of a reservation.</summary>
    /// <param name="last">The bound before.</param>
    /// <param name="bound">The bound.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is smaller, or larger than all numbers.</exception>
    public static void CheckBound(ulong last, ulong bound)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bound, last);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bound, OscoreSequence.End);
    }

    /// <summary>The refusal of an epoch that is over.</summary>
    public static OscoreStoreException Superseded() => new(OscoreStoreFault.Superseded,
        "The security context was opened again, by this process or another one, which has its sequence numbers from now on. Use a context "
        + "at one place only, and open it again to go on here.");
}
