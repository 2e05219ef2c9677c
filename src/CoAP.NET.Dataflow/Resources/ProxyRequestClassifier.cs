using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Uris;

namespace CoAP.NET.Resources;

/// <summary>
/// Decides about proxy requests before all other steps: which options may pass, and which requests name this server and are therefore for
/// it (RFC 7252 section 5.7.2). It only sees proxy requests, and requests with an option that is not accepted.
/// </summary>
internal sealed class ProxyRequestClassifier(RouteTable routes, CoapEnvironment environment)
{
    private static readonly int[] s_targetOptions =
    [
        OptionNumber.ProxyUri, OptionNumber.ProxyScheme, OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath,
        OptionNumber.UriQuery,
    ];

    private readonly ParsedUriCache _targets = new();

    /// <summary>Checks the options of a request again. A proxy request for this server itself becomes a plain one.</summary>
    /// <param name="channel">The channel of the sender.</param>
    /// <param name="message">The request.</param>
    /// <param name="verdict">The verdict for the options as those of a request to this server.</param>
    /// <returns>The final verdict.</returns>
    public OptionVerdict Judge(CoapChannel channel, CoapMessage message, OptionVerdict verdict)
    {
        CoapOptionCollection options = message.Options;
        if (!RequestChecks.AsksForProxy(options))
        {
            return !verdict.IsAccepted && routes.FindRoute(options, message.Code, out _) is { } route && route.GetPlan(environment).Forwards
                ? OptionRules.Check(message, channel.AllowsQBlock, isForwarded: true)
                : verdict;
        }

        if (routes.Proxy is not { } proxy)
        {
            return verdict;
        }

        if (TryReadTarget(channel, message, out CoapUri? target) && proxy.Names.Contains(target, channel, routes.Listening))
        {
            foreach (int number in s_targetOptions)
            {
                options.Remove(number);
            }

            target.AddTo(options, channel.Local.ToIPAddress(), channel.Local.Port);
            return OptionRules.Check(message, channel.AllowsQBlock);
        }

        return OptionRules.Check(message, channel.AllowsQBlock, isForwarded: true);
    }

    private bool TryReadTarget(CoapChannel channel, CoapMessage message, [NotNullWhen(true)] out CoapUri? target)
    {
        // The usual case: Proxy-Uri has the same bytes as in a recent request.
        if (message.Options.TryGetValue(OptionNumber.ProxyUri, out ReadOnlySpan<byte> named) && _targets.TryFind(named, out target))
        {
            return true;
        }

        target = null;
        string? proxyUri = message.Options.ProxyUri;
        if (proxyUri is null && message.Options.ProxyScheme is null)
        {
            // The option has an invalid length, so it does not name this server.
            return false;
        }

        try
        {
            target = _targets.Find(
                proxyUri ?? CoapUri.ComposeRequestUri(message, channel.Transport.Scheme, channel.Local), CoapUri.Parse);
            return true;
        }
        catch (CoapFormatException)
        {
            // The handler reports the error.
            return false;
        }
    }
}
