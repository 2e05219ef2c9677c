using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Mesh;
using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>
/// Requests that are for another server, before anything else is done with them: which options may pass, and which requests are for this
/// server after all, because they name it (RFC 7252 section 5.7.2). Only requests come here that ask for a proxy, or that have an option
/// which is not accepted.
/// </summary>
/// <param name="routes">What is sent on.</param>
/// <param name="environment">For the plans of routes.</param>
internal sealed class ForwardedRequests(RouteTable routes, CoapEnvironment environment)
{
    private static readonly int[] s_targetOptions =
    [
        OptionNumber.ProxyUri, OptionNumber.ProxyScheme, OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath,
        OptionNumber.UriQuery,
    ];

    private readonly TargetTable _targets = new();

    /// <summary>Looks at the options of a request again. One that asks this server to be a proxy for itself becomes a plain one.</summary>
    /// <param name="channel">Who sent it.</param>
    /// <param name="message">The request.</param>
    /// <param name="verdict">What was found of its options, as those of a request to this server.</param>
    /// <returns>What holds.</returns>
    public OptionVerdict Judge(CoapChannel channel, CoapMessage message, OptionVerdict verdict)
    {
        CoapOptionCollection options = message.Options;
        if (!RequestRules.AsksForProxy(options))
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
        // The usual case: Proxy-Uri has the very bytes of a URI that was asked for lately.
        if (message.Options.TryGetValue(OptionNumber.ProxyUri, out ReadOnlySpan<byte> named) && _targets.TryFind(named, out target))
        {
            return true;
        }

        target = null;
        string? proxyUri = message.Options.ProxyUri;
        if (proxyUri is null && message.Options.ProxyScheme is null)
        {
            // The option has an illegal length: whatever it was to name, it is not this server.
            return false;
        }

        try
        {
            target = _targets.Find(
                proxyUri ?? CoapUri.ComposeRequestUri(message, channel.Transport.Scheme, channel.Local), CoapUri.Parse);
            return true;
        }
        catch (CoapUriException)
        {
            // The handler says what is wrong.
            return false;
        }
    }
}
