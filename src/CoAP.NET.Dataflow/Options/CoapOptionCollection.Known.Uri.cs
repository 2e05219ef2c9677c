using System.Text;
using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET;

// The options that make up URIs, by name: those of the request's target and those of a created resource.
public sealed partial class CoapOptionCollection
{
    /// <summary>Uri-Host: the host of the resource (RFC 7252 section 5.10.1). Null when absent, which means the address that the request was sent to.</summary>
    public string? UriHost => GetString(Options.UriHost.Definition);

    /// <summary>The Uri-Path segments, decoded (RFC 7252 section 5.10.1). A new list at each call.</summary>
    public IReadOnlyList<string> UriPath => GetAllStrings(Options.UriPath.Definition);

    /// <summary>The Uri-Query arguments, decoded (RFC 7252 section 5.10.1). A new list at each call.</summary>
    public IReadOnlyList<string> UriQuery => GetAllStrings(Options.UriQuery.Definition);

    /// <summary>Proxy-Uri: the absolute URI that a proxy is asked for (RFC 7252 section 5.10.2).</summary>
    public string? ProxyUri => GetString(Options.ProxyUri.Definition);

    /// <summary>Proxy-Scheme: the scheme that a proxy is asked to use (RFC 7252 section 5.10.2).</summary>
    public string? ProxyScheme => GetString(Options.ProxyScheme.Definition);

    /// <summary>The Location-Path segments, decoded (RFC 7252 section 5.10.7). A new list at each call.</summary>
    public IReadOnlyList<string> LocationPath => GetAllStrings(Options.LocationPath.Definition);

    /// <summary>The Location-Query arguments, decoded (RFC 7252 section 5.10.7). A new list at each call.</summary>
    public IReadOnlyList<string> LocationQuery => GetAllStrings(Options.LocationQuery.Definition);

    /// <summary>
    /// Where a created resource is, of Location-Path and Location-Query: an absolute path and a query, percent-encoded, to be resolved against the
    /// request's URI by <see cref="CoapUri.Resolve"/> (RFC 7252 section 5.10.7). The path is <c>/</c> at least. Null when both are absent, and when a
    /// segment is <c>.</c> or <c>..</c>, which is illegal.
    /// </summary>
    public string? Location
    {
        get
        {
            IReadOnlyList<string> path = LocationPath;
            IReadOnlyList<string> query = LocationQuery;
            return (path.Count == 0 && query.Count == 0) || path.Any(UriText.IsDotSegment) ? null : UriText.FormatReference(path, query);
        }
    }

    private string? GetString(OptionDefinition definition) =>
        TryGetLegal(definition, out ReadOnlySpan<byte> bytes) ? Encoding.UTF8.GetString(bytes) : null;

    private string[] GetAllStrings(OptionDefinition definition)
    {
        int count = CountLegal(definition);
        string[] values = count == 0 ? [] : new string[count];
        int place = -1;
        for (int i = 0; i < values.Length; i++)
        {
            place = FirstLegal(definition, place + 1);
            values[i] = Encoding.UTF8.GetString(ValueAt(place));
        }

        return values;
    }
}
