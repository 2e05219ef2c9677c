using System.Buffers;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>One criterion of a lookup: <c>name=value</c>, or <c>name=beginning*</c> (RFC 9176 section 6.2).</summary>
/// <param name="name">The name.</param>
/// <param name="pattern">The value, or its prefix.</param>
/// <param name="isPrefix">Whether it is a prefix.</param>
/// <param name="ofLinks">Whether the lookup is for links; otherwise for endpoints.</param>
internal sealed class LookupCriterion(ReadOnlyMemory<byte> name, ReadOnlyMemory<byte> pattern, bool isPrefix, bool ofLinks)
{
    private readonly bool _isReference = AsciiComparer.AreEqual(name.Span, "href"u8);
    private readonly bool _isAnchor = AsciiComparer.AreEqual(name.Span, "anchor"u8);

    /// <summary>The name and value to search in the index; null if the index cannot help.</summary>
    public LookupTerm? Term => !isPrefix && RegistrationTermExtractor.IsIndexed(name.Span)
        && !IsOfAllEndpoints ? new LookupTerm(name, pattern) : null;

    /// <summary>
    /// Whether it matches every endpoint, because every one has the resource type <c>core.rd-ep</c>. This type belongs to the link to an
    /// endpoint, not to the links of the endpoint.
    /// </summary>
    public bool IsOfAllEndpoints => !ofLinks && AsciiComparer.AreEqual(name.Span, "rt"u8) && IsMatch("core.rd-ep"u8);

    /// <summary>
    /// Returns the range of registrations that can match. Resolved targets begin with a scheme, so a path can only match a location.
    /// </summary>
    public LocationPrefixRange RangeOf(DirectoryLocations locations) =>
        _isReference && pattern.Span.StartsWith("/"u8) ? locations.RangeOf(pattern.Span, isPrefix) : LocationPrefixRange.All;

    /// <summary>Whether it applies to targets, which include the locations of registrations.</summary>
    public bool IsOfLocations => _isReference;

    /// <summary>Whether the endpoint of a registration matches.</summary>
    public bool MatchesEndpoint(Registration registration, ReadOnlySpan<byte> location)
    {
        ReadOnlySpan<byte> named = name.Span;
        if (_isReference)
        {
            return IsMatch(location) || IsMatchOfUri(location);
        }

        if (IsOfAllEndpoints || (AsciiComparer.AreEqual(named, "ep"u8) && IsMatch(registration.Endpoint))
            || (AsciiComparer.AreEqual(named, "base"u8) && IsMatch(registration.Base))
            || (AsciiComparer.AreEqual(named, "d"u8) && !registration.Sector.IsEmpty && IsMatch(registration.Sector)))
        {
            return true;
        }

        EndpointAttributes attributes = registration.Attributes;
        while (attributes.MoveNext())
        {
            if (AsciiComparer.AreEqual(attributes.Name, named) && (attributes.HasValue ? IsMatchOf(named, attributes.Value) : IsOfAnyValue))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a link matches on its own.</summary>
    public bool MatchesLink(in LinkFormatEnumerator link, ReadOnlySpan<byte> origin)
    {
        if (_isReference)
        {
            return IsMatchOfResolved(origin, link.Target);
        }

        LinkAttributeEnumerator attributes = new(link.Attributes);
        while (attributes.MoveNext())
        {
            if (AsciiComparer.AreEqual(attributes.Name, name.Span)
                && (!attributes.HasValue ? IsOfAnyValue
                    : _isAnchor ? IsMatchOfResolved(origin, LinkAttributeEnumerator.Unescape(attributes.Value))
                    : IsMatchOf(attributes.Name, LinkAttributeEnumerator.Unescape(attributes.Value))))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsOfAnyValue => isPrefix && pattern.IsEmpty;

    private bool IsMatch(ReadOnlySpan<byte> value) => isPrefix ? value.StartsWith(pattern.Span) : value.SequenceEqual(pattern.Span);

    private bool IsMatchOf(ReadOnlySpan<byte> named, ReadOnlySpan<byte> value)
    {
        if (!LinkAttributeNameRules.IsList(named))
        {
            return IsMatch(value);
        }

        foreach (Range member in value.Split((byte)' '))
        {
            if (IsMatch(value[member]))
            {
                return true;
            }
        }

        return false;
    }

    // The location as a URI, with any authority of this server.
    private bool IsMatchOfUri(ReadOnlySpan<byte> location)
    {
        ReadOnlySpan<byte> wanted = pattern.Span;
        int scheme = Utf8UriParser.SchemeLength(wanted);
        return !isPrefix && scheme != 0 && wanted[(scheme + 1)..].StartsWith("//"u8)
            && location.SequenceEqual(wanted[Utf8UriParser.OriginOf(wanted).Length..]);
    }

    private bool IsMatchBehind(ReadOnlySpan<byte> location, ReadOnlySpan<byte> wanted) =>
        isPrefix ? location.StartsWith(wanted) : location.SequenceEqual(wanted);

    private bool IsMatchOfResolved(ReadOnlySpan<byte> origin, ReadOnlySpan<byte> reference)
    {
        if (!reference.StartsWith("/"u8))
        {
            return IsMatch(reference);
        }

        if (Utf8UriParser.HasDotSegments(reference))
        {
            ArrayBufferWriter<byte> resolved = new();
            Utf8UriParser.WriteResolved(origin, reference, resolved);
            return IsMatch(resolved.WrittenSpan);
        }

        // Most have another beginning and are rejected without building the text.
        ReadOnlySpan<byte> wanted = pattern.Span;
        return wanted.Length <= origin.Length
            ? isPrefix && origin.StartsWith(wanted)
            : wanted.StartsWith(origin) && IsMatchBehind(reference, wanted[origin.Length..]);
    }
}
