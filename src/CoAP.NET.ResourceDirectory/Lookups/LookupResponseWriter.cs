using System.Buffers;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Writes the response to a lookup.</summary>
internal ref struct LookupResponseWriter
{
    private readonly Lookup _lookup;
    private readonly ulong _linkTag;
    private readonly LookupLimits _bounds;
    private readonly DirectoryLocations _locations;
    private readonly ArrayBufferWriter<byte> _answer;
    private readonly LookupProgress _progress;

    // The criteria that the current endpoint meets, so that its links need not; one bit for each.
    private ulong _metByEndpoint;

    public LookupResponseWriter(
        Lookup lookup, ulong linkTag, LookupLimits bounds, DirectoryLocations locations, ArrayBufferWriter<byte> answer,
        LookupProgress progress)
    {
        _lookup = lookup;
        _linkTag = linkTag;
        _bounds = bounds;
        _locations = locations;
        _answer = answer;
        _progress = progress;
    }

    /// <summary>The reason why there is no response.</summary>
    public LookupFault Fault { get; private set; }

    public bool IsComplete { get; private set; }

    /// <summary>Adds the matches of a registration.</summary>
    public void Add(in DirectoryEntry entry)
    {
        Registration registration = entry.Registration;
        bool isHere = registration.LinkTag != 0 && registration.LinkTag == _linkTag;
        ReadOnlySpan<byte> origin = Utf8UriParser.OriginOf(registration.Base);
        if (!isHere && Utf8UriParser.IsLinkLocal(origin))
        {
            // Such links mean nothing elsewhere (RFC 9176 section 6.2), except for full URIs, which were registered with the others.
            return;
        }

        Span<byte> location = stackalloc byte[_locations.Length];
        _locations.Write(entry, location);
        _metByEndpoint = 0;
        ulong all = (1UL << _lookup.Criteria.Count) - 1;
        for (int i = 0; i < _lookup.Criteria.Count; i++)
        {
            _metByEndpoint |= _lookup.Criteria[i].MatchesEndpoint(registration, location) ? 1UL << i : 0;
        }

        if (!_lookup.OfLinks)
        {
            if (_metByEndpoint == all || IsMetByLinks(registration, origin, isHere, all))
            {
                AddEndpoint(registration, location);
            }

            return;
        }

        LinkFormatEnumerator links = new(registration.Links);
        while (!IsComplete && links.MoveNext())
        {
            if ((MetBy(links, origin) | _metByEndpoint) == all && (isHere || !IsLinkLocal(registration, links)))
            {
                AddLink(links, origin);
            }
        }
    }

    private readonly bool IsMetByLinks(Registration registration, ReadOnlySpan<byte> origin, bool isHere, ulong all)
    {
        // Different links may meet different criteria.
        ulong met = _metByEndpoint;
        LinkFormatEnumerator links = new(registration.Links);
        while (met != all && links.MoveNext())
        {
            met |= isHere || !IsLinkLocal(registration, links) ? MetBy(links, origin) : 0;
        }

        return met == all;
    }

    private readonly ulong MetBy(in LinkFormatEnumerator link, ReadOnlySpan<byte> origin)
    {
        ulong met = 0;
        for (int i = 0; i < _lookup.Criteria.Count; i++)
        {
            met |= (_metByEndpoint & (1UL << i)) == 0 && _lookup.Criteria[i].MatchesLink(link, origin) ? 1UL << i : 0;
        }

        return met;
    }

    private static bool IsLinkLocal(Registration registration, in LinkFormatEnumerator link)
    {
        if ((registration.Kind & Registration.Traits.IsLinkLocal) == 0)
        {
            return false;
        }

        if (Utf8UriParser.IsLinkLocal(link.Target))
        {
            return true;
        }

        LinkAttributeEnumerator attributes = new(link.Attributes);
        while (attributes.MoveNext())
        {
            if (AsciiComparer.AreEqual(attributes.Name, "anchor"u8)
                && Utf8UriParser.IsLinkLocal(LinkAttributeEnumerator.Unescape(attributes.Value)))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsLeftOut()
    {
        if (_progress.Skipped > 0)
        {
            _progress.Skipped--;
            return true;
        }

        if (++_progress.Found > _bounds.MaxResults || _answer.WrittenCount > _bounds.MaxBytes)
        {
            Fault = LookupFault.TooManyResults;
            IsComplete = true;
            return true;
        }

        if (_answer.WrittenCount != 0)
        {
            _answer.Write(","u8);
        }

        IsComplete = _progress.Found == _lookup.Count;
        return false;
    }

    private void AddLink(in LinkFormatEnumerator link, ReadOnlySpan<byte> origin)
    {
        if (IsLeftOut())
        {
            return;
        }

        _answer.Write("<"u8);
        Utf8UriParser.WriteResolved(origin, link.Target, _answer);
        _answer.Write(">"u8);
        LinkAttributeEnumerator attributes = new(link.Attributes);
        while (attributes.MoveNext())
        {
            if (AsciiComparer.AreEqual(attributes.Name, "anchor"u8) && attributes.HasValue)
            {
                _answer.Write(";anchor=\""u8);
                Utf8UriParser.WriteResolved(origin, attributes.Value, _answer);
                _answer.Write("\""u8);
            }
            else
            {
                _answer.Write(attributes.Text);
            }
        }
    }

    private void AddEndpoint(Registration registration, scoped ReadOnlySpan<byte> location)
    {
        if (IsLeftOut())
        {
            return;
        }

        _answer.Write("<"u8);
        _answer.Write(location);
        _answer.Write(">;ep="u8);
        WriteQuoted(registration.Endpoint);
        if (!registration.Sector.IsEmpty)
        {
            _answer.Write(";d="u8);
            WriteQuoted(registration.Sector);
        }

        _answer.Write(";base="u8);
        WriteQuoted(registration.Base);
        EndpointAttributes attributes = registration.Attributes;
        while (attributes.MoveNext())
        {
            _answer.Write(";"u8);
            _answer.Write(attributes.Name);
            if (!attributes.HasValue)
            {
                continue;
            }

            _answer.Write("="u8);
            if (attributes.Name[^1] == '*')
            {
                _answer.Write(attributes.Value);
            }
            else
            {
                WriteQuoted(attributes.Value);
            }
        }

        _answer.Write(";rt=\"core.rd-ep\""u8);
    }

    private readonly void WriteQuoted(ReadOnlySpan<byte> value)
    {
        _answer.Write("\""u8);
        for (int at = value.IndexOfAny((byte)'"', (byte)'\\'); at >= 0; at = value.IndexOfAny((byte)'"', (byte)'\\'))
        {
            _answer.Write(value[..at]);
            _answer.Write("\\"u8);
            _answer.Write(value.Slice(at, 1));
            value = value[(at + 1)..];
        }

        _answer.Write(value);
        _answer.Write("\""u8);
    }
}
