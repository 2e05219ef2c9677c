using System.Runtime.InteropServices;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// Extracts the terms of a registration for the index: every value of names (<c>ep</c>, <c>d</c>), <c>base</c>, <c>et</c>, <c>rt</c> and
/// <c>if</c>. Lookups by other attributes scan registrations. Not thread-safe.
/// </summary>
internal sealed class RegistrationTermExtractor(AttributeIndexHash hash)
{
    private const int FirstSize = 32;

    private readonly ulong _d = hash.SeedOf("d"u8);
    private readonly ulong _ep = hash.SeedOf("ep"u8);
    private readonly ulong _rt = hash.SeedOf("rt"u8);
    private readonly ulong _if = hash.SeedOf("if"u8);
    private readonly ulong _et = hash.SeedOf("et"u8);
    private readonly ulong _base = hash.SeedOf("base"u8);
    private readonly List<(ulong Hash, ushort Links)> _terms = [];

    // The extracted terms, each with the number of its link; -1 for the endpoint.
    private ulong[] _hashes = new ulong[FirstSize];
    private int[] _links = new int[FirstSize];
    private int _count;

    /// <summary>Whether the index contains every value of the attributes with a name.</summary>
    public static bool IsIndexed(ReadOnlySpan<byte> name) => name.Length switch
    {
        1 => (name[0] | 0x20) == 'd',
        2 => (name[0] | 0x20, name[1] | 0x20) is ('e', 'p') or ('r', 't') or ('e', 't') or ('i', 'f'),
        4 => AsciiComparer.AreEqual(name, "base"u8),
        _ => false,
    };

    /// <summary>Extracts the terms of a registration.</summary>
    /// <returns>The terms, each with the number of links that have it; terms of the endpoint apply to all links. Valid until the next
    /// call.</returns>
    public ReadOnlySpan<(ulong Hash, ushort Links)> Read(Registration registration)
    {
        _count = 0;
        _terms.Clear();
        AddOfEndpoint(registration);
        LinkFormatEnumerator links = new(registration.Links);
        for (int link = 0; links.MoveNext(); link++)
        {
            LinkAttributeEnumerator attributes = new(links.Attributes);
            while (attributes.MoveNext())
            {
                if (attributes.HasValue && IsIndexed(attributes.Name))
                {
                    AddOfLink(attributes.Name, LinkAttributeEnumerator.Unescape(attributes.Value), link);
                }
            }
        }

        Span<ulong> hashes = _hashes.AsSpan(0, _count);
        Span<int> ofLinks = _links.AsSpan(0, _count);
        hashes.Sort(ofLinks);
        for (int start = 0, end; start < hashes.Length; start = end)
        {
            for (end = start + 1; end < hashes.Length && hashes[end] == hashes[start];)
            {
                end++;
            }

            _terms.Add((hashes[start], (ushort)CountLinks(ofLinks[start..end], registration.LinkCount)));
        }

        return CollectionsMarshal.AsSpan(_terms);
    }

    // The numbers of the links with a term may contain duplicates.
    private static int CountLinks(Span<int> links, int all)
    {
        links.Sort();
        if (links[0] < 0)
        {
            return all;
        }

        int count = 1;
        for (int i = 1; i < links.Length; i++)
        {
            count += links[i] != links[i - 1] ? 1 : 0;
        }

        return count;
    }

    private void AddOfEndpoint(Registration registration)
    {
        Add(_ep, registration.Endpoint);
        Add(_base, registration.Base);
        if (!registration.Sector.IsEmpty)
        {
            Add(_d, registration.Sector);
        }

        EndpointAttributes attributes = registration.Attributes;
        while (attributes.MoveNext())
        {
            if (attributes.HasValue && IsIndexed(attributes.Name))
            {
                if (LinkAttributeNameRules.IsList(attributes.Name))
                {
                    AddOfLink(attributes.Name, attributes.Value, -1);
                }
                else
                {
                    Add(SeedOf(attributes.Name), attributes.Value);
                }
            }
        }
    }

    private ulong SeedOf(ReadOnlySpan<byte> name) => name.Length switch
    {
        1 => _d,
        4 => _base,
        _ => (name[0] | 0x20, name[1] | 0x20) switch
        {
            ('r', _) => _rt,
            ('i', _) => _if,
            (_, 'p') => _ep,
            _ => _et,
        },
    };

    private void Add(ulong seed, ReadOnlySpan<byte> value, int link = -1)
    {
        if (_count == _hashes.Length)
        {
            Array.Resize(ref _hashes, 2 * _count);
            Array.Resize(ref _links, 2 * _count);
        }

        _hashes[_count] = hash.Of(value, seed);
        _links[_count++] = link;
    }

    private void AddOfLink(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, int link)
    {
        ulong seed = SeedOf(name);
        if (seed != _rt && seed != _if)
        {
            Add(seed, value, link);
            return;
        }

        foreach (Range member in value.Split((byte)' '))
        {
            if (!value[member].IsEmpty)
            {
                Add(seed, value[member], link);
            }
        }
    }
}
