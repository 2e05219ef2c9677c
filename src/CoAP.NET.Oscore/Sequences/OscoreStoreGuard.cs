namespace CoAP.NET.Oscore.Sequences;

/// <summary>Checks and errors that all stores share.</summary>
internal static class OscoreStoreGuard
{
    /// <summary>Checks the bound of a reservation.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The bound is smaller, or larger than all numbers.</exception>
    public static void CheckBound(ulong last, ulong bound)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bound, last);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bound, OscoreSequence.End);
    }

    /// <summary>Creates the refusal of an epoch that is over.</summary>
    public static OscoreStoreException Superseded() => new(OscoreStoreFault.Superseded,
        "This process or another one opened the security context again, and owns its sequence numbers from now on. Use a context at one "
        + "place only, and open it again to continue here.");
}
