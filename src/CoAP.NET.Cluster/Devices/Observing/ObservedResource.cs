using System.Buffers.Binary;

namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>A resource of a device that is observed by any node. Immutable.</summary>
internal sealed class ObservedResource
{
    private const int HeaderLength = 2 * sizeof(long);
    private const long Never = -1;

    // A request in one message, at any node.
    private const int MaxRequest = 64 * 1024;

    private readonly byte[] _message;

    private ObservedResource(string device, byte[] message, CoapReregistrationPolicy rule) =>
        (Device, _message, Rule) = (device, message, rule);

    public string Device { get; }

    /// <summary>The rule for registering again.</summary>
    public CoapReregistrationPolicy Rule { get; }

    /// <summary>Returns the resource of a request.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="request">The request.</param>
    /// <param name="rule">The rule for registering again.</param>
    /// <exception cref="ArgumentException">The request cannot be observed.</exception>
    public static ObservedResource Of(string device, CoapRequest request, CoapReregistrationPolicy rule)
    {
        if (!DeviceRequestMessageFactory.IsSafe(request))
        {
            throw new ArgumentException(
                $"{request.Code} cannot be observed; GET and FETCH can (RFC 7641 section 1.2, RFC 8132 section 2).", nameof(request));
        }

        CoapMessage message = DeviceRequestMessageFactory.Of(request);
        message.Options.Remove(OptionNumber.Observe);
        message.Options.Remove(OptionNumber.ETag);
        return DeviceRequestMessageFactory.IsWhole(request)
            && CoapDatagramSerializer.Default.Serialize(message) is { Length: <= MaxRequest } bytes
            ? new ObservedResource(device, bytes, rule)
            : throw new ArgumentException(
                $"A request that observes a device must have its body in memory, and at most {MaxRequest:N0} bytes.", nameof(request));
    }

    /// <summary>Reads what <see cref="ToBytes"/> wrote; null if it is not valid.</summary>
    public static ObservedResource? Read(string device, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeaderLength || !CoapDatagramSerializer.Default.TryDeserialize(bytes[HeaderLength..], out _, out _))
        {
            return null;
        }

        long interval = BinaryPrimitives.ReadInt64BigEndian(bytes);
        long backOff = BinaryPrimitives.ReadInt64BigEndian(bytes[sizeof(long)..]);
        try
        {
            return new ObservedResource(device, bytes[HeaderLength..].ToArray(), interval == Never
                ? CoapReregistrationPolicy.Never
                : CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.FromTicks(interval), TimeSpan.FromTicks(backOff)));
        }
        catch (ArgumentOutOfRangeException)
        {
            return null;
        }
    }

    public CoapRequest ToRequest() => new(CoapDatagramSerializer.Default.Deserialize(_message.AsSpan()));

    /// <summary>Returns the bytes for another node, without the name of the device.</summary>
    public byte[] ToBytes()
    {
        byte[] bytes = new byte[HeaderLength + _message.Length];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Rule.IsEnabled ? Rule.MinimumInterval.Ticks : Never);
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(sizeof(long)), Rule.MaximumBackOff.Ticks);
        _message.CopyTo(bytes, HeaderLength);
        return bytes;
    }
}
