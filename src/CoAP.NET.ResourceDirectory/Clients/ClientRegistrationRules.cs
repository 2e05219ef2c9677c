using System.Text;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>The rules for the content of a registration (RFC 9176 section 5 and appendix C). Pure.</summary>
internal static class ClientRegistrationRules
{
    // Arguments with another meaning in a directory; some directories refuse them.
    private static readonly string[] s_otherMeanings = ["ep", "d", "lt", "base", "et", "page", "count", "rt", "href", "anchor"];

    /// <summary>Returns a base as it is sent.</summary>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI, or more than scheme, host and port.</exception>
    public static string? CheckBase(CoapUri? uri, string parameter)
    {
        if (uri is null)
        {
            return null;
        }

        CoapUri.RequireCoap(uri, parameter);
        return uri.PathSegments.Count == 0 && uri.QueryArguments.Count == 0 && uri.ZoneId is null
            ? CoapUri.OriginOf(uri.ToString())
            : throw new ArgumentException(
                $"'{uri}' is more than the base of an endpoint: use only scheme, host and port, without a zone (RFC 9176 section 5).",
                parameter);
    }

    public static void CheckAttributes(CoapRegistrationOptions options)
    {
        foreach (string name in options.Attributes.Keys)
        {
            if (name.Length == 0 || name.Contains('=', StringComparison.Ordinal) || s_otherMeanings.Contains(name))
            {
                throw new ArgumentException(
                    $"'{name}' cannot be an attribute of an endpoint: it has another meaning in a directory (RFC 9176 section 5), or "
                        + "is not a name. Use EndpointName, Sector, Lifetime, Base and Types for these.", nameof(options));
            }
        }
    }

    /// <summary>Returns the document to register.</summary>
    /// <exception cref="CoapDirectoryException">A link is relative in a form that directories refuse.</exception>
    public static byte[] WriteLinks(IEnumerable<CoapLink> links)
    {
        CoapLink[] all = [.. links];
        CoapLink? bad = Array.Find(all, static link => !IsLimited(link.Target) || (link.Anchor is { } anchor && !IsLimited(anchor)));
        return bad is null
            ? Encoding.UTF8.GetBytes(CoapLinkFormat.Format(all))
            : throw new CoapDirectoryException(
                $"The link {CoapUntrustedText.LineOf(bad.ToString())} cannot be registered: its target and its anchor must begin with a "
                    + "single slash, or be full URIs (RFC 9176 appendix C).");
    }

    private static bool IsLimited(string reference) =>
        reference.StartsWith('/') ? !reference.StartsWith("//", StringComparison.Ordinal)
            : reference.IndexOf(':', StringComparison.Ordinal) is var colon and > 0 && Uri.CheckSchemeName(reference[..colon]);
}
