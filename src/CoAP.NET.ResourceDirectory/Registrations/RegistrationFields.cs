namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>The parts of a registration after its head.</summary>
internal ref struct RegistrationFields
{
    public Registration.Traits Kind { get; set; }

    /// <summary>The lifetime in seconds.</summary>
    public uint Lifetime { get; set; }

    public ulong LinkTag { get; set; }

    public int LinkCount { get; set; }

    /// <summary>The endpoint name, 1 to 63 bytes.</summary>
    public ReadOnlySpan<byte> Endpoint { get; set; }

    /// <summary>The sector, at most 63 bytes.</summary>
    public ReadOnlySpan<byte> Sector { get; set; }

    /// <summary>The base, at most 255 bytes.</summary>
    public ReadOnlySpan<byte> Base { get; set; }

    /// <summary>The attributes in the form of <see cref="EndpointAttributes"/>.</summary>
    public ReadOnlySpan<byte> Attributes { get; set; }

    /// <summary>The links in link format.</summary>
    public ReadOnlySpan<byte> Links { get; set; }
}
