using CoAP.NET.Options;

namespace CoAP.NET.Groups;

/// <summary>
/// What is different for a request that was sent to a group (RFC 7252 section 8.2), so that a group does not drown who asks.
/// </summary>
internal static class GroupRules
{
    // The formula is for estimates; nobody waits for an answer for longer than a Non-confirmable message lives.
    private static TimeSpan Longest(CoapTransmissionParameters parameters) => parameters.NonLifetime;

    /// <summary>
    /// Whether a request to a group gets no answer whatever it would be: only the first block may be asked of a group (RFC 7959 section
    /// 2.8).
    /// </summary>
    /// <param name="message">The request.</param>
    /// <param name="special">Which of its options ask for more.</param>
    public static bool IsIgnored(CoapMessage message, SpecialOptions special) =>
        (special & (SpecialOptions.Block1 | SpecialOptions.QBlock)) != 0
        || ((special & SpecialOptions.Block2) != 0 && message.Options.Block2 is { Number: > 0 });

    /// <summary>
    /// Whether an answer to a group's request is kept back unless the request asked for its class: errors, and contents of nothing, such as
    /// an empty list of links. A handler has the last word.
    /// </summary>
    /// <param name="result">The answer.</param>
    public static bool IsKeptBack(CoapResult result) =>
        !(result.AnswersGroup ?? (result.Code.IsSuccess && !(result.Code == CoapCode.Content && result.Payload.IsEmpty)));

    /// <summary>
    /// The Leisure: the period over which the members of a group spread their answers. By the formula S * G / R of RFC 7252 section 8.2
    /// where size of the group and rate are known, otherwise DEFAULT_LEISURE.
    /// </summary>
    /// <param name="size">S: the size of the answer in bytes.</param>
    /// <param name="groupSize">G: an estimate of the number of members; null when not known.</param>
    /// <param name="rate">R: how many bytes of answers a second the network is to carry; null when not known.</param>
    /// <param name="parameters">The parameters towards who asks.</param>
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
