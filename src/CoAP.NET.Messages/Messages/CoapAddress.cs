using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>The address of one end of a UDP or TCP peer: IP address, port and IPv6 scope, as a value.</summary>
/// <remarks>IPv4 addresses are kept in their IPv4-mapped IPv6 form, so one peer has one address on dual-mode sockets too.</remarks>
public readonly record struct CoapAddress
{
    private const ulong MappedPrefix = 0x0000_ffff_0000_0000;

    internal CoapAddress(ulong high, ulong low, ushort port, uint scopeId)
    {
        High = high;
        Low = low;
        Port = port;
        ScopeId = scopeId;
    }

    /// <summary>The port, 0 to 65,535.</summary>
    public ushort Port { get; init; }

    /// <summary>The IPv6 scope (interface index); 0 for none.</summary>
    public uint ScopeId { get; internal init; }

    /// <summary>The upper 8 bytes of the IPv6 address, as a big-endian number.</summary>
    internal ulong High { get; init; }

    /// <summary>The lower 8 bytes of the IPv6 address, as a big-endian number.</summary>
    internal ulong Low { get; init; }

    /// <summary>Whether this is an IPv4 address.</summary>
    public bool IsIPv4 => High == 0 && (Low & 0xffff_ffff_0000_0000) == MappedPrefix;

    /// <summary>Whether this is a multicast (group) address (RFC 7252 section 8).</summary>
    public bool IsMulticast => IsIPv4 ? ((uint)Low >> 28) == 0xe : High >> 56 == 0xff;

    /// <summary>Whether the address is the wildcard (all zero), of either family.</summary>
    internal bool IsAny => High == 0 && (Low == 0 || Low == MappedPrefix);

    /// <summary>Creates an address from an IPv4 address in host byte order.</summary>
    /// <param name="address">The four bytes as a big-endian number.</param>
    /// <param name="port">The port.</param>
    /// <returns>The address.</returns>
    public static CoapAddress FromIPv4(uint address, ushort port) => new(0, MappedPrefix | address, port, 0);

    /// <summary>Creates an address from a .NET endpoint.</summary>
    /// <param name="endpoint">The endpoint, IPv4 or IPv6.</param>
    /// <returns>The address.</returns>
    public static CoapAddress FromIPEndPoint(IPEndPoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        return Of(endpoint.Address, (ushort)endpoint.Port);
    }

    internal static CoapAddress Of(IPAddress address, ushort port)
    {
        Span<byte> bytes = stackalloc byte[16];
        if (address.AddressFamily == AddressFamily.InterNetwork)
        {
            address.TryWriteBytes(bytes, out _);
            return FromIPv4(BinaryPrimitives.ReadUInt32BigEndian(bytes), port);
        }

        address.TryWriteBytes(bytes, out _);
        ulong high = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        ulong low = BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]);
        return new CoapAddress(high, low, port, (uint)address.ScopeId);
    }

    /// <summary>Converts to a .NET endpoint; an IPv4 address becomes an IPv4 endpoint.</summary>
    /// <returns>The endpoint.</returns>
    public IPEndPoint ToIPEndPoint() => new(ToIPAddress(), Port);

    /// <summary>Converts to a .NET address; an IPv4 address becomes an IPv4 address.</summary>
    /// <returns>The address.</returns>
    public IPAddress ToIPAddress()
    {
        Span<byte> bytes = stackalloc byte[16];
        if (IsIPv4)
        {
            BinaryPrimitives.WriteUInt32BigEndian(bytes, (uint)Low);
            return new IPAddress(bytes[..4]);
        }

        BinaryPrimitives.WriteUInt64BigEndian(bytes, High);
        BinaryPrimitives.WriteUInt64BigEndian(bytes[8..], Low);
        return new IPAddress(bytes, ScopeId);
    }

    /// <summary>The number of bytes that <see cref="WriteTo"/> writes.</summary>
    internal const int BinaryLength = 22;

    /// <summary>Writes address, port and scope in a form that is unique to the address.</summary>
    /// <remarks>Use it for data that is authenticated together with an address, such as a cookie.</remarks>
    /// <param name="destination">The destination; at least <see cref="BinaryLength"/> bytes.</param>
    /// <exception cref="ArgumentException"><paramref name="destination"/> is too short.</exception>
    internal void WriteTo(Span<byte> destination)
    {
        if (destination.Length < BinaryLength)
        {
            throw new ArgumentException(
                $"The destination has {destination.Length} bytes; pass at least {BinaryLength}.", nameof(destination));
        }

        BinaryPrimitives.WriteUInt64BigEndian(destination, High);
        BinaryPrimitives.WriteUInt64BigEndian(destination[8..], Low);
        BinaryPrimitives.WriteUInt16BigEndian(destination[16..], Port);
        BinaryPrimitives.WriteUInt32BigEndian(destination[18..], ScopeId);
    }

    /// <summary>Formats the address for people; by a name where the address is unknown, as in a browser.</summary>
    /// <param name="serverName">The name of the host; null for none.</param>
    internal string ToString(string? serverName) => serverName is not null && IsAny ? $"{serverName}:{Port}" : ToString();

    /// <summary>Formats address and port, with IPv6 in brackets: <c>192.0.2.1:5683</c>, <c>[2001:db8::1]:5683</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => ToIPEndPoint().ToString();
}
