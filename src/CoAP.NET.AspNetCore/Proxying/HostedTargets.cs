using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Messages;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>The targets that stand in the URIs of HTTP clients (RFC 8075 section 5). Those that were asked for lately are known; whether
/// they may be asked is judged for each request. Thread-safe.</summary>
/// <param name="options">The template, and the scheme of targets that have none.</param>
internal sealed class HostedTargets(CoapHttpProxyOptions options)
{
    private readonly RecentTexts<Hosted> _known = new();

    /// <summary>Finds the target of a URI.</summary>
    /// <param name="rest">What stands behind the prefix of the proxy, as the client wrote it.</param>
    /// <param name="target">The target.</param>
    /// <param name="error">Why what stands there is no URI of CoAP; null where nothing stands there that could be one.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryFind(string rest, [NotNullWhen(true)] out CoapUri? target, out string? error)
    {
        TargetTemplate template = options.Parsed;
        string? scheme = options.DefaultScheme;
        error = null;
        if (_known.TryFind(rest, out Hosted? known) && known.Template == template && known.DefaultScheme == scheme)
        {
            target = known.Target;
            return true;
        }

        target = null;
        if (!template.TryMatch(rest, scheme, out string? text) || !CoapUri.TryParse(text, out target, out error))
        {
            return false;
        }

        if (target.ZoneId is null)
        {
            // Which interface a zone stands for may change.
            _known.Note(rest, new Hosted(target, template, scheme));
        }

        return true;
    }

    // What was found, and by what.
    private sealed record Hosted(CoapUri Target, TargetTemplate Template, string? DefaultScheme);
}
