namespace CoAP.NET.Cli.Output;

/// <summary>Facts about a response besides itself.</summary>
/// <param name="Method">The name of the method, such as GET.</param>
/// <param name="Uri">The URI of the request.</param>
/// <param name="Time">The time of its arrival.</param>
/// <param name="Elapsed">Time since the request, or since the previous notification.</param>
/// <param name="Retransmissions">Number of retransmissions for it.</param>
/// <param name="FilePath">The file with the payload; null if the payload is in the response.</param>
/// <param name="Proxy">The proxy of the request; null for none.</param>
internal sealed record ResponseDetails(string Method, string Uri, DateTimeOffset Time, TimeSpan Elapsed, long Retransmissions,
    string? FilePath = null, CoapUri? Proxy = null)
{
    /// <summary>The bytes of the payload in the file.</summary>
    public long FileLength { get; init; }
}
