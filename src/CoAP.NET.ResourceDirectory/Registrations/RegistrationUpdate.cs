using System.Buffers.Binary;
using CoAP.NET.ResourceDirectory.Lookups;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>An update of a registration (RFC 9176 section 5.3.1).</summary>
internal readonly ref struct RegistrationUpdate
{
    private const int FixedLength = 14;

    /// <summary>The lifetime in seconds; 0 keeps the previous one.</summary>
    public uint Lifetime { get; init; }

    /// <summary>The network link of the sender; 0 for an unknown one.</summary>
    public ulong LinkTag { get; init; }

    /// <summary>Whether the registrant gave the base.</summary>
    public bool HasOwnBase { get; init; }

    /// <summary>The given base, or the source address of the update; empty if that is not usable as a base.</summary>
    public ReadOnlySpan<byte> Base { get; init; }

    /// <summary>Attributes that replace those with the same names.</summary>
    public ReadOnlySpan<byte> Attributes { get; init; }

    public static RegistrationUpdate Read(ReadOnlySpan<byte> bytes) => new()
    {
        Lifetime = BinaryPrimitives.ReadUInt32LittleEndian(bytes),
        LinkTag = BinaryPrimitives.ReadUInt64LittleEndian(bytes[4..]),
        HasOwnBase = bytes[12] != 0,
        Base = bytes.Slice(FixedLength, bytes[13]),
        Attributes = bytes[(FixedLength + bytes[13])..],
    };

    public byte[] ToArray()
    {
        byte[] made = new byte[FixedLength + Base.Length + Attributes.Length];
        BinaryPrimitives.WriteUInt32LittleEndian(made, Lifetime);
        BinaryPrimitives.WriteUInt64LittleEndian(made.AsSpan(4), LinkTag);
        made[12] = HasOwnBase ? (byte)1 : (byte)0;
        made[13] = (byte)Base.Length;
        Base.CopyTo(made.AsSpan(FixedLength));
        Attributes.CopyTo(made.AsSpan(FixedLength + Base.Length));
        return made;
    }

    /// <summary>Applies the update to a registration.</summary>
    /// <param name="parts">The parts before the update.</param>
    public RegistrationFields ApplyTo(RegistrationFields parts)
    {
        bool hadOwnBase = (parts.Kind & Registration.Traits.HasOwnBase) != 0;
        bool hasLocalLinks = (parts.Kind & Registration.Traits.HasLocalLinks) != 0;
        bool isLocal = Utf8UriParser.IsLinkLocal(Base);

        // Links with link-local addresses stay on their network link, and so does the base.
        if ((HasOwnBase || (!hadOwnBase && !Base.IsEmpty)) && !(isLocal && hasLocalLinks && LinkTag != parts.LinkTag))
        {
            parts.Base = Base;
            parts.Kind |= HasOwnBase ? Registration.Traits.HasOwnBase : Registration.Traits.None;
            parts.LinkTag = hasLocalLinks ? parts.LinkTag : isLocal ? LinkTag : 0;
            parts.Kind = isLocal || hasLocalLinks
                ? parts.Kind | Registration.Traits.IsLinkLocal
                : parts.Kind & ~Registration.Traits.IsLinkLocal;
        }

        parts.Lifetime = Lifetime == 0 ? parts.Lifetime : Lifetime;
        parts.Attributes = Attributes.IsEmpty ? parts.Attributes
            : new EndpointAttributes(parts.Attributes).Override(new EndpointAttributes(Attributes));
        return parts;
    }
}
