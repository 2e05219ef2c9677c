using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Counts hops with Hop-Limit and creates 5.08 (Hop Limit Reached) responses (RFC 8768).</summary>
internal static class HopCount
{
    // The identifiers of proxies must fit into a message with its other options on every path (RFC 8768 section 4).
    private const int MaxDiagnostic = 512;

    /// <summary>Returns the Hop-Limit of the forwarded request.</summary>
    /// <param name="request">The options of the received request.</param>
    /// <param name="options">The options of the proxy, with the default and whether to replace the value.</param>
    /// <returns>1 to 255; 0 if the request must not be forwarded.</returns>
    public static int Next(CoapOptionCollection request, CoapProxyOptions options) =>
        !options.RewritesHopLimit && request.HopLimit is { } hops ? hops - 1 : options.HopLimit;

    /// <summary>Returns the response to a request that ran out of hops.</summary>
    public static CoapResult Reached(string identifier) => new(CoapCode.HopLimitReached, Encoding.UTF8.GetBytes(identifier));

    /// <summary>Returns the response to a client for a 5.08 of the next hop.</summary>
    /// <param name="payload">The identifiers of the proxies behind this one.</param>
    /// <param name="identifier">The identifier of this proxy.</param>
    /// <param name="isLoop">Whether this proxy is among them.</param>
    /// <returns>The response: their identifiers with this one in front. In a loop this one alone, because theirs are not
    /// forwarded.</returns>
    public static CoapResult Passed(ReadOnlyMemory<byte> payload, string identifier, out bool isLoop)
    {
        string said = Utf8.IsValid(payload.Span) ? Encoding.UTF8.GetString(payload.Span) : string.Empty;
        isLoop = said.Split(' ').Contains(identifier, StringComparer.Ordinal);
        if (isLoop || said.Length == 0)
        {
            return Reached(identifier);
        }

        byte[] longer = Encoding.UTF8.GetBytes($"{identifier} {said}");
        return new CoapResult(CoapCode.HopLimitReached, longer.Length <= MaxDiagnostic ? longer : payload);
    }
}
