namespace CoAP.NET.Groups;

/// <summary>The special rules for group requests (RFC 7252 section 8.2), so that a group does not overload the client.</summary>
internal static class GroupRequestRules
{
    // The formula uses estimates; no client waits longer than the lifetime of a Non-confirmable message.
    private static TimeSpan Longest(CoapTransmissionParameters parameters) => parameters.NonLifetime;

    /// <summary>
    /// Whether a group request gets no answer at all: only the first block may be requested of a group (RFC 7959 section 2.8).
    /// </summary>
    public static bool IsIgnored(CoapMessage message, RequestOptionFlags special) =>
        (special & (RequestOptionFlags.Block1 | RequestOptionFlags.QBlock)) != 0
        || ((special & RequestOptionFlags.Block2) != 0 && message.Options.Block2 is { Number: > 0 });

    /// <summary>
    /// Whether to suppress an answer to a group request unless the request asked for its class: errors, and empty contents such as an empty
    /// list of links. The handler can override this.
    /// </summary>
    public static bool IsKeptBack(CoapResult result) =>
        !(result.AnswersGroup ?? (result.Code.IsSuccess && !(result.Code == CoapCode.Content && result.Payload.IsEmpty)));

    /// <summary>
    /// Returns the Leisure: the period over which the members of a group spread their answers. Uses the formula S * G / R of RFC 7252
    /// section 8.2 if group size and rate are known, otherwise DEFAULT_LEISURE.
    /// </summary>
    /// <param name="size">S: the size of the answer in bytes.</param>
    /// <param name="groupSize">G: the estimated number of members; null when unknown.</param>
    /// <param name="rate">R: the data rate for answers in bytes per second; null when unknown.</param>
    /// <param name="parameters">The parameters for the client.</param>
    public static TimeSpan LeisureOf(long size, int? groupSize, double? rate, CoapTransmissionParameters parameters)
    {
        if (groupSize is not { } members || rate is not { } bytesPerSecond)
        {
            return parameters.DefaultLeisure;
        }

        double seconds = size * (double)members / bytesPerSecond;
        TimeSpan longest = Longest(parameters);
        return seconds >= longest.TotalSeconds ? longest : TimeSpan.FromSeconds(seconds);
    }
}
