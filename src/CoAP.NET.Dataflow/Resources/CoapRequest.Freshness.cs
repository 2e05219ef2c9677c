namespace CoAP.NET;

// What an Echo option says of a received request.
public sealed partial class CoapRequest
{
    /// <summary>
    /// How old the request is at most: the age of the Echo value that it brought back, made by this endpoint for this peer (RFC 9175 section 2.3). Null when it
    /// has none, or one that is not ours. A value may be brought back several times.
    /// </summary>
    public TimeSpan? EchoAge
    {
        get => _more is { EchoAge: >= 0 and var ticks } ? TimeSpan.FromTicks(ticks) : null;
        internal set
        {
            if (value is not null || _more is not null)
            {
                More.EchoAge = value?.Ticks ?? -1;
            }
        }
    }

    /// <summary>Whether an Echo shows that the request was made lately. If not, <see cref="CoapResults.FreshnessRequired"/> asks the client to show it.</summary>
    /// <param name="maxAge">How old it may be.</param>
    /// <returns>Whether it is known to be at most that old.</returns>
    /// <exception cref="InvalidOperationException">The request is one to send.</exception>
    public bool IsFresh(TimeSpan maxAge)
    {
        ThrowIfToSend("no age: only received requests have one");
        return EchoAge is { } age && age <= maxAge;
    }
}
