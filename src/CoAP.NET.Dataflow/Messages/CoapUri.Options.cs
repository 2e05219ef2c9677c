using System.Net;
using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET;

// From URI to options (RFC 7252 section 6.4, steps 5 to 9).
public sealed partial class CoapUri
{
    /// <summary>
    /// Adds the options that name the resource of this URI: Uri-Host unless the request goes to that very IP address, Uri-Port unless it goes to that
    /// very port, Uri-Path and Uri-Query (RFC 7252 section 6.4). The zone of an IPv6 address is never sent.
    /// </summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">The IP address that the request is sent to; null when it is the address in this URI, or the one that its name stands for.</param>
    /// <param name="destinationPort">The port that the request is sent to, 0 to 65,535; null when it is the port of this URI.</param>
    public void AddTo(CoapOptionCollection options, IPAddress? destination = null, int? destinationPort = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (HostAddress is null || (destination is not null && !IsSameAddress(HostAddress, destination)))
        {
            options.AddString(OptionNumber.UriHost, Host);
        }

        if (destinationPort is { } port && port != Port)
        {
            options.AddUInt(OptionNumber.UriPort, (uint)Port);
        }

        foreach (string segment in _path)
        {
            options.AddString(OptionNumber.UriPath, segment);
        }

        foreach (string argument in _query)
        {
            options.AddString(OptionNumber.UriQuery, argument);
        }
    }

    private CoapOptionCollection? _resourceOptions;
    private IPAddress[]? _addresses;

    /// <summary>Address and port where the host is an IP address; null for a name.</summary>
    internal Transports.CoapAddress? Literal { get; }

    /// <summary>The host where it is an IP address, as a list of one; null for a name. Not to be changed.</summary>
    internal IPAddress[]? Addresses => HostAddress is null ? null : _addresses ??= [HostAddress];

    /// <summary>What <see cref="AddTo"/> adds where the request goes to the address and port in this URI. For messages that share it; not to be changed.</summary>
    internal CoapOptionCollection ResourceOptions
    {
        get
        {
            if (Volatile.Read(ref _resourceOptions) is { } known)
            {
                return known;
            }

            CoapOptionCollection options = new();
            AddTo(options);
            Volatile.Write(ref _resourceOptions, options);
            return options;
        }
    }

    // The scope says by which interface, not who; a dual-mode socket shows IPv4 addresses as mapped ones.
    private static bool IsSameAddress(IPAddress left, IPAddress right)
    {
        Span<byte> leftBytes = stackalloc byte[16];
        Span<byte> rightBytes = stackalloc byte[16];
        return WriteMapped(left, leftBytes).SequenceEqual(WriteMapped(right, rightBytes));
    }

    private static ReadOnlySpan<byte> WriteMapped(IPAddress address, Span<byte> bytes)
    {
        address.MapToIPv6().TryWriteBytes(bytes, out int _);
        return bytes;
    }
}
