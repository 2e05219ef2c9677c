namespace CoAP.NET.Guarding;

/// <summary>
/// The rule of fairness between the sources (<see cref="CoapQuotaSource"/>) of everything that has a share for each of them.
/// </summary>
/// <remarks>
/// It makes it expensive to take everything: with half of what is free, 15 sources take 10,000 places, with this rule 135.
/// </remarks>
internal static class FairShare
{
    /// <summary>
    /// Whether there is room for a source: it then holds at most twice the square of the free part, which is half of all while half is
    /// free, an eighth while a quarter is free, and a fiftieth while a tenth is free.
    /// </summary>
    /// <param name="held">The amount that the source then holds.</param>
    /// <param name="free">The amount that is free before.</param>
    /// <param name="max">How much there is for all sources.</param>
    /// <param name="least">The amount that the source may have in addition as long as anything is free; by default one place.</param>
    public static bool HasRoom(long held, long free, long max, long least = 1) =>
        (held - least) * (double)max <= 2.0 * free * Math.Max(free, 0);

    /// <summary>
    /// Whether the source that holds most loses something to another one: it then still holds as much as the other. Two sources therefore
    /// never displace each other in turns.
    /// </summary>
    /// <param name="held">The amount that the other source then holds.</param>
    /// <param name="left">The amount that the source with most then still holds.</param>
    public static bool AllowsEviction(long held, long left) => held <= left;
}
