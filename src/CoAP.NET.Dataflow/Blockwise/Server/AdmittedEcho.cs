namespace CoAP.NET.Blockwise;

/// <summary>
/// How old a request was, by its Echo, when its first block passed the gates of its route: the whole is that much older when its last block
/// comes (RFC 9175 section 2.3).
/// </summary>
/// <param name="Age">Its age; null without an Echo.</param>
/// <param name="At">When it passed, in units of 100 ns.</param>
internal sealed record AdmittedEcho(TimeSpan? Age, long At)
{
    public TimeSpan? AgeAt(long now) => Age is { } age ? age + TimeSpan.FromTicks(now - At) : null;
}
