using System.Text;
using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET;

// Which resource a request is for, as a URI.
public sealed partial class CoapRequest
{
    private static readonly CoapUri s_anyHost = CoapUri.Parse("coap://[::]/");

    /// <summary>
    /// The host that the request is for: Uri-Host; without it what the client called this server by Server Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the address
    /// that it was sent to. For a request to send the host of its URI. IPv6 addresses stand in brackets.
    /// </summary>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>
    /// The absolute path, decoded, with a slash before each segment; <c>/</c> when there is none. Of a received request it is that of its
    /// Uri-Path options, of one to send that of its options and then of its URI, as
    /// they will be sent. For people: a slash inside a segment is not told from one between segments.
    /// </summary>
    /// <exception cref="CoapUriException">It is a request to send, and the text of its URI is none.</exception>
    public string Path
    {
        get
        {
            StringBuilder path = new();
            if (Message.HasOptions)
            {
                foreach (UriPath segment in Options.GetAll<UriPath>())
                {
                    path.Append('/').Append(segment.Value);
                }
            }

            foreach (string segment in TargetToSend?.PathSegments ?? [])
            {
                path.Append('/').Append(segment);
            }

            return path.Length == 0 ? "/" : path.ToString();
        }
    }

    /// <summary>
    /// The URI of the request. For a received one it is composed of its options (RFC 7252 section 6.5); where Uri-Host is absent it has what the client called this server by Server
    /// Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the address that it was sent to. Proxy-Uri and Proxy-Scheme are not looked at.
    /// </summary>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options name no URI, or the text of the URI is none.</exception>
    /// <exception cref="InvalidOperationException">It is a request to send that was made without a URI.</exception>
    public CoapUri GetUri()
    {
        if (Channel is { } channel)
        {
            return CoapUri.Compose(channel.Transport.Scheme, Options, channel.Local.ToIPEndPoint(), channel.DefaultHost);
        }

        return CoapUri.Parse(UriText ?? throw new InvalidOperationException("The request was made of a message, without a URI."));
    }

    /// <summary>The URI whose path and query are added when the request is sent; null of a received one, and of one whose options say all.
    /// One without a host is relative to any.</summary>
    private CoapUri? TargetToSend
    {
        get
        {
            if (UriText is not { } text || (Message.HasOptions && Options.Contains(OptionNumber.ProxyUri)))
            {
                return null;
            }

            return text.Contains("://", StringComparison.Ordinal) ? CoapUri.Parse(text) : s_anyHost.Resolve(text);
        }
    }

    private void ThrowIfToSend(string what)
    {
        if (UriText is not null)
        {
            throw new InvalidOperationException($"A request to send has {what}.");
        }
    }
}
