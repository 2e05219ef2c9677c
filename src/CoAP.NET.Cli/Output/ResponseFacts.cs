namespace CoAP.NET.Cli.Output;

/// <summary>What is known of a response besides itself.</summary>
/// <param name="Method">The name of the method, such as GET.</param>
/// <param name="Uri">What it is the answer of.</param>
/// <param name="Time">When it came.</param>
/// <param name="Elapsed">How long it took since the request, or since the notification before.</param>
/// <param name="Retransmissions">How often messages were sent again for it.</param>
/// <param name="FilePath">Where the payload went; null when it is with the response.</param>
/// <param name="Proxy">The proxy that was asked for it; null for none.</param>
internal sealed record ResponseFacts(string Method, string Uri, DateTimeOffset Time, TimeSpan Elapsed, long Retransmissions,
    string? FilePath = null, CoapUri? Proxy = null);
