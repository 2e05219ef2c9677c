using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// A resource of a device in observations between nodes: a FETCH (RFC 8132) with the device request as its payload. Its path is the same
/// for all equal device requests. Immutable.
/// </summary>
internal sealed class ObservedResource
{
    /// <summary>The path between nodes; an identifier of the resource follows.</summary>
    public const string Path = "dev-obs";

    /// <summary>The maximum size of a device request here, in bytes.</summary>
    public const int MaxRequest = 64 * 1024;

    private const int IdLength = 16;

    private readonly byte[] _key;
    private readonly byte[] _payload;

    private ObservedResource(string device, byte[] key, byte[] payload)
    {
        (Device, _key, _payload) = (device, key, payload);
        byte[] both = [(byte)key.Length, .. key, .. payload];
        Id = Convert.ToHexString(SHA256.HashData(both).AsSpan(0, IdLength));
    }

    /// <summary>The name of the device.</summary>
    public string Device { get; }

    /// <summary>The bytes of the name.</summary>
    public byte[] Key => _key;

    /// <summary>Its identifier.</summary>
    public string Id { get; }

    /// <summary>The minimum time between two registrations at the device.</summary>
    public TimeSpan MinimumInterval => TimeSpan.FromTicks(BinaryPrimitives.ReadInt64BigEndian(_payload));

    /// <summary>Returns the resource of a request.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="rule">The limit for re-registration.</param>
    /// <exception cref="ArgumentException">The request cannot be observed.</exception>
    public static ObservedResource Of(string device, byte[] key, CoapRequest request, CoapReregistration rule)
    {
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException(
                $"{request.Code} cannot be observed; GET and FETCH can (RFC 7641 section 1.2, RFC 8132 section 2).", nameof(request));
        }

        CoapMessage message = DeviceWire.MessageOf(request);
        message.Options.Remove(OptionNumber.Observe);
        message.Options.Remove(OptionNumber.ETag);
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(message);
        if (bytes.Length > MaxRequest || (request.Content is not null && message.Payload.IsEmpty && request.Content.Bytes.IsEmpty))
        {
            throw new ArgumentException($"A request that observes a device must have its body in memory, and at most {MaxRequest:N0} "
                + "bytes.",
                nameof(request));
        }

        byte[] payload = new byte[sizeof(long) + bytes.Length];
        BinaryPrimitives.WriteInt64BigEndian(payload, rule.MinimumInterval.Ticks);
        bytes.CopyTo(payload, sizeof(long));
        return new ObservedResource(device, key, payload);
    }

    /// <summary>Reads the request of another node; null if it is not valid.</summary>
    /// <param name="request">The request of the node.</param>
    public static ObservedResource? Read(CoapRequest request)
    {
        byte[] key = DeviceWire.DeviceOf(request).ToArray();
        return DeviceName.TryDecode(key) is { } name && request.Payload.Length > sizeof(long)
            && CoapDatagramSerializer.Default.TryDeserialize(request.Payload.Span[sizeof(long)..], out CoapMessage? message, out _)
            && (message.Code == CoapCode.Get || message.Code == CoapCode.Fetch)
            && BinaryPrimitives.ReadInt64BigEndian(request.Payload.Span) is >= 0 and <= TimeSpan.TicksPerDay * 30
                ? new ObservedResource(name, key, request.Payload.ToArray())
                : null;
    }

    /// <summary>Returns the request for the device.</summary>
    public CoapRequest ToDevice() => new(CoapDatagramSerializer.Default.Deserialize(_payload.AsSpan(sizeof(long))));

    /// <summary>Returns the request for another node.</summary>
    public CoapRequest ToNode()
    {
        CoapRequest request = DeviceWire.Observe(_key, Id);
        request.Content = CoapContent.Binary(_payload);
        return request;
    }
}
