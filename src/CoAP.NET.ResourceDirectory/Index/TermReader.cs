namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Finds the terms of a registration: what stands in the index. Of names (<c>ep</c>, <c>d</c>), <c>base</c>, <c>et</c>, <c>rt</c> and
/// <c>if</c> every value is one; a look-up by anything else goes through registrations. Not thread-safe.
/// </summary>
/// <param name="hash">The hash of terms.</param>
internal sealed class TermReader(KeyedHash hash)
{
    private readonly List<(ulong Hash, int Link)> _found = [];
    private readonly List<(ulong Hash, ushort Links)> _terms = [];

    /// <summary>Whether every value of attributes of a name is in the index.</summary>
    /// <param name="name">The name.</param>
    public static bool IsIndexed(ReadOnlySpan<byte> name) => name.Length switch
    {
        1 => AsciiText.AreEqual(name, "d"u8),
        2 => AsciiText.AreEqual(name, "ep"u8) || AsciiText.AreEqual(name, "rt"u8) || AsciiText.AreEqual(name, "et"u8)
            || AsciiText.AreEqual(name, "if"u8),
        4 => AsciiText.AreEqual(name, "base"u8),
        _ => false,
    };

    /// <summary>Finds the terms of a registration.</summary>
    /// <param name="registration">The registration.</param>
    /// <returns>The terms, each with how many links have it; what is said of the endpoint is said of all links. Valid until the next call.
    /// </returns>
    public IReadOnlyList<(ulong Hash, ushort Links)> Read(Registration registration)
    {
        _found.Clear();
        _terms.Clear();
        AddOfEndpoint(registration);
        LinkText links = new(registration.Links);
        for (int link = 0; links.MoveNext(); link++)
        {
            LinkAttributeText attributes = new(links.Attributes);
            while (attributes.MoveNext())
            {
                if (attributes.HasValue && IsIndexed(attributes.Name))
                {
                    AddOfLink(attributes.Name, LinkAttributeText.Unescape(attributes.Value), link);
                }
            }
        }

        // Those of the endpoint come first, as their link is -1.
        _found.Sort();
        for (int i = 0; i < _found.Count;)
        {
            int start = i;
            int count = _found[i].Link < 0 ? registration.LinkCount : 0;
            for (; i < _found.Count && _found[i].Hash == _found[start].Hash; i++)
            {
                count += _found[start].Link >= 0 && (i == start || _found[i].Link != _found[i - 1].Link) ? 1 : 0;
            }

            _terms.Add((_found[start].Hash, (ushort)count));
        }

        return _terms;
    }

    private void AddOfEndpoint(Registration registration)
    {
        Add("ep"u8, registration.Endpoint);
        Add("base"u8, registration.Base);
        if (!registration.Sector.IsEmpty)
        {
            Add("d"u8, registration.Sector);
        }

        EndpointAttributes attributes = registration.Attributes;
        while (attributes.MoveNext())
        {
            if (attributes.HasValue && IsIndexed(attributes.Name))
            {
                if (LinkNames.IsList(attributes.Name))
                {
                    AddOfLink(attributes.Name, attributes.Value, -1);
                }
                else
                {
                    Add(attributes.Name, attributes.Value);
                }
            }
        }
    }

    private void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => _found.Add((hash.Of(name, value), -1));

    private void AddOfLink(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, int link)
    {
        if (!LinkNames.IsList(name))
        {
            _found.Add((hash.Of(name, value), link));
            return;
        }

        foreach (Range member in value.Split((byte)' '))
        {
            if (!value[member].IsEmpty)
            {
                _found.Add((hash.Of(name, value[member]), link));
            }
        }
    }
}
