namespace CoAP.NET.ResourceDirectory;

/// <summary>What a registration is made of beside its head.</summary>
internal ref struct RegistrationParts
{
    public Registration.Traits Kind { get; set; }

    /// <summary>In seconds.</summary>
    public uint Lifetime { get; set; }

    public ulong LinkTag { get; set; }

    public int LinkCount { get; set; }

    /// <summary>1 to 63 bytes.</summary>
    public ReadOnlySpan<byte> Endpoint { get; set; }

    /// <summary>At most 63 bytes.</summary>
    public ReadOnlySpan<byte> Sector { get; set; }

    /// <summary>At most 255 bytes.</summary>
    public ReadOnlySpan<byte> Base { get; set; }

    /// <summary>As <see cref="EndpointAttributes"/> has them.</summary>
    public ReadOnlySpan<byte> Attributes { get; set; }

    /// <summary>In link format.</summary>
    public ReadOnlySpan<byte> Links { get; set; }
}
