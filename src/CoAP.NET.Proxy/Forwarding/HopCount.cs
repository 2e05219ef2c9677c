using System.Text;
using System.Text.Unicode;
using CoAP.NET.Options;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Hop-Limit and 5.08 Hop Limit Reached (RFC 8768).</summary>
internal static class HopCount
{
    // What proxies say of themselves must fit a message with its other options on every path (RFC 8768 section 4).
    private const int MaxDiagnostic = 512;

    /// <summary>The Hop-Limit that a request goes on with.</summary>
    /// <param name="request">The options of the request as it came.</param>
    /// <param name="options">What is put in where there is none, or in any case.</param>
    /// <returns>1 to 255; 0 when the request must not go on.</returns>
    public static int Next(CoapOptionCollection request, CoapProxyOptions options) =>
        !options.RewritesHopLimit && request.HopLimit is { } hops ? hops - 1 : options.HopLimit;

    /// <summary>The answer to a request whose hops are used up.</summary>
    /// <param name="identifier">What this proxy is called.</param>
    public static CoapResult Reached(string identifier) => new(CoapCode.HopLimitReached, Encoding.UTF8.GetBytes(identifier));

    /// <summary>What is said downstream of a 5.08 of the next hop.</summary>
    /// <param name="payload">What the proxies behind this one said of themselves.</param>
    /// <param name="identifier">What this proxy is called.</param>
    /// <param name="isLoop">Whether this proxy is among them.</param>
    /// <returns>The answer: theirs with this one in front; of a loop this one alone, as theirs is not sent on.</returns>
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
