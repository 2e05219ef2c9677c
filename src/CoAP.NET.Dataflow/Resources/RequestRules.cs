using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Uris;

namespace CoAP.NET.Resources;

/// <summary>
/// The rules that each request to an endpoint passes before its route: those for its options, and which proxy requests name this server and
/// are therefore for it (RFC 7252 section 5.7.2). Requests from peers and the requests of restored observers pass the same ones. The rules
/// of the route follow: <see cref="EffectiveRouteSettings.Admits"/>. Thread-safe.
/// </summary>
/// <param name="routes">The routes of the endpoint.</param>
/// <param name="environment">Has the limits of the endpoint.</param>
internal sealed class RequestRules(RouteTable routes, CoapEnvironment environment)
{
    private static readonly int[] s_targetOptions =
    [
        OptionNumber.ProxyUri, OptionNumber.ProxyScheme, OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath,
        OptionNumber.UriQuery,
    ];

    private readonly RecentTextCache<CoapUri> _targets = new();

    /// <summary>
    /// Checks the options of a request. It removes elective options that are invalid, as <see cref="OptionRules.Check"/> does, and makes a
    /// plain request of a proxy request for this server itself.
    /// </summary>
    /// <param name="channel">The channel of the sender.</param>
    /// <param name="message">The request.</param>
    public OptionVerdict CheckOptions(CoapChannel channel, CoapMessage message)
    {
        OptionVerdict verdict = OptionRules.Check(message, channel.AllowsQBlock);
        return verdict.IsAccepted && (verdict.Special & RequestOptionFlags.Proxy) == 0
            ? verdict
            : CheckForwarded(channel, message, verdict);
    }

    private OptionVerdict CheckForwarded(CoapChannel channel, CoapMessage message, OptionVerdict verdict)
    {
        CoapOptionCollection options = message.Options;
        if (!OptionRules.IsProxyRequest(options))
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
            string text = proxyUri ?? CoapUri.ComposeRequestUri(message, channel.Transport.Scheme, channel.Local);
            if (!_targets.TryFind(text, out target))
            {
                target = CoapUri.Parse(text);
                if (target.ZoneId is null)
                {
                    // The interface of a zone may change.
                    _targets.Note(text, target);
                }
            }

            return true;
        }
        catch (CoapFormatException)
        {
            // The handler reports the error.
            return false;
        }
    }
}
