using System.Buffers.Binary;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>
/// A stored registration (RFC 9176 section 2): one block of bytes, read in place. References stay as the registrant sent them, next to the
/// base, and are resolved again when the base changes.
/// </summary>
/// <param name="bytes">The bytes.</param>
internal readonly struct Registration(ReadOnlyMemory<byte> bytes)
{
    /// <summary>The length of the part that changes with each refresh: owner and time. The visible part follows.</summary>
    public const int HeadLength = 32;

    /// <summary>The bytes before the texts.</summary>
    public const int FixedLength = 53;

    private const byte Format = 1;
    private const uint LongestGrace = 24 * 60 * 60;

    [Flags]
    internal enum Traits : byte
    {
        None = 0,

        /// <summary>The registrant gave a base; otherwise the base is the source address of the registration.</summary>
        HasOwnBase = 1,

        /// <summary>It is a simple registration, and ends with its lifetime (RFC 9176 section 5.1).</summary>
        IsSimple = 2,

        /// <summary>The base or a link has a link-local address: visible on that network link only (RFC 9176 section 6.2).</summary>
        IsLinkLocal = 4,

        /// <summary>A full URI among the links has a link-local address.</summary>
        HasLocalLinks = 8,

        /// <summary>The registrant was not authenticated: the owner is an address.</summary>
        IsUnsecured = 16,
    }

    /// <summary>The bytes.</summary>
    public ReadOnlyMemory<byte> Bytes => bytes;

    /// <summary>Whether these bytes are a registration of this version.</summary>
    public bool IsReadable => bytes.Length >= FixedLength && Span[HeadLength] == Format
        && FixedLength + EndpointLength + SectorLength + BaseLength + AttributesLength <= bytes.Length;

    public DirectoryOwner Owner => DirectoryOwner.Read(Span);

    /// <summary>The time of its last change or refresh, in milliseconds since 1970.</summary>
    public long ChangedAt => BinaryPrimitives.ReadInt64LittleEndian(Span[24..]);

    /// <summary>The visible part: two registrations with equal parts are the same for lookups.</summary>
    public ReadOnlySpan<byte> Found => Span[HeadLength..];

    public Traits Kind => (Traits)Span[33];

    /// <summary>The lifetime in seconds.</summary>
    public uint Lifetime => BinaryPrimitives.ReadUInt32LittleEndian(Span[34..]);

    /// <summary>
    /// The time for which it can still be refreshed after its lifetime: the same time again, at most a day (RFC 9176 section 5.3). Zero for
    /// a simple registration, which leaves nothing behind (section 5.1).
    /// </summary>
    public TimeSpan Grace => (Kind & Traits.IsSimple) != 0 ? TimeSpan.Zero : TimeSpan.FromSeconds(Math.Min(Lifetime, LongestGrace));

    /// <summary>The network link of its link-local addresses; 0 for none.</summary>
    public ulong LinkTag => BinaryPrimitives.ReadUInt64LittleEndian(Span[38..]);

    public int LinkCount => BinaryPrimitives.ReadUInt16LittleEndian(Span[46..]);

    private int EndpointLength => Span[48];

    private int SectorLength => Span[49];

    private int BaseLength => Span[50];

    private int AttributesLength => BinaryPrimitives.ReadUInt16LittleEndian(Span[51..]);

    /// <summary>The endpoint name.</summary>
    public ReadOnlySpan<byte> Endpoint => Span.Slice(FixedLength, EndpointLength);

    /// <summary>The sector; empty for none.</summary>
    public ReadOnlySpan<byte> Sector => Span.Slice(FixedLength + EndpointLength, SectorLength);

    /// <summary>The base; empty for none.</summary>
    public ReadOnlySpan<byte> Base => Span.Slice(FixedLength + EndpointLength + SectorLength, BaseLength);

    /// <summary>The other endpoint attributes.</summary>
    public EndpointAttributes Attributes =>
        new(Span.Slice(FixedLength + EndpointLength + SectorLength + BaseLength, AttributesLength));

    /// <summary>The links in link format, as <see cref="CoapLinkFormat.Format"/> writes them.</summary>
    public ReadOnlySpan<byte> Links => Span[(FixedLength + EndpointLength + SectorLength + BaseLength + AttributesLength)..];

    private ReadOnlySpan<byte> Span => bytes.Span;

    /// <summary>Creates a registration.</summary>
    public static Registration Make(in RegistrationRefreshHeader head, in RegistrationFields parts)
    {
        int attributes = parts.Attributes.Length;
        byte[] made = new byte[FixedLength + parts.Endpoint.Length + parts.Sector.Length + parts.Base.Length + attributes
            + parts.Links.Length];
        head.WriteTo(made);
        made[HeadLength] = Format;
        made[33] = (byte)parts.Kind;
        BinaryPrimitives.WriteUInt32LittleEndian(made.AsSpan(34), parts.Lifetime);
        BinaryPrimitives.WriteUInt64LittleEndian(made.AsSpan(38), parts.LinkTag);
        BinaryPrimitives.WriteUInt16LittleEndian(made.AsSpan(46), (ushort)parts.LinkCount);
        made[48] = (byte)parts.Endpoint.Length;
        made[49] = (byte)parts.Sector.Length;
        made[50] = (byte)parts.Base.Length;
        BinaryPrimitives.WriteUInt16LittleEndian(made.AsSpan(51), (ushort)attributes);
        Span<byte> rest = made.AsSpan(FixedLength);
        rest = Append(rest, parts.Endpoint);
        rest = Append(rest, parts.Sector);
        rest = Append(rest, parts.Base);
        rest = Append(rest, parts.Attributes);
        Append(rest, parts.Links);
        return new Registration(made);
    }

    /// <summary>Returns a copy with another head.</summary>
    public Registration With(in RegistrationRefreshHeader head)
    {
        byte[] made = bytes.ToArray();
        head.WriteTo(made);
        return new Registration(made);
    }

    /// <summary>Returns its parts, to create another registration.</summary>
    public RegistrationFields ToParts() => new()
    {
        Kind = Kind,
        Lifetime = Lifetime,
        LinkTag = LinkTag,
        LinkCount = LinkCount,
        Endpoint = Endpoint,
        Sector = Sector,
        Base = Base,
        Attributes = Attributes.Bytes,
        Links = Links,
    };

    private static Span<byte> Append(Span<byte> rest, ReadOnlySpan<byte> part)
    {
        part.CopyTo(rest);
        return rest[part.Length..];
    }
}
