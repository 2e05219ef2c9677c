using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Observations;

/// <summary>
/// The stored format of an observation at a device. Its key: the session of the device, which determines its slot, and the name; its state:
/// the registration with its token, and the latest notification.
/// </summary>
internal static class ObservationRecord
{
    public const int MaxName = 64;

    private const byte WasHeard = 1;
    private const int MaxSession = 64;
    private const int HeaderLength = 21;

    /// <summary>The lifetime of a record. It is renewed long before, so an expired record has no owner.</summary>
    public static TimeSpan Lifetime { get; } = TimeSpan.FromHours(49);

    /// <summary>Returns the key of an observation.</summary>
    /// <returns>The key; null if the session does not outlive the process.</returns>
    public static CoapRecordKey? KeyOf(ReadOnlySpan<byte> session, string name) => session.Length is 0 or > MaxSession
        ? null
        : new CoapRecordKey(CoapRecordKind.Observation, new CoapSlot(session[0]),
            [(byte)session.Length, .. session, .. Encoding.UTF8.GetBytes(name)]);

    /// <summary>Returns the session of a key as text.</summary>
    public static string SessionOf(CoapRecordKey key) => Convert.ToHexString(key.Bytes.Span.Slice(1, key.Bytes.Span[0]));

    public static byte[] Write(CoapMessage request, CoapNotificationPosition? heard)
    {
        byte[] message = CoapDatagramSerializer.Default.Serialize(request);
        byte[] state = new byte[HeaderLength + message.Length];
        if (heard is not null)
        {
            state[0] = WasHeard;
            BinaryPrimitives.WriteUInt32BigEndian(state.AsSpan(1), heard.Number);
            BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(5), heard.At.UtcTicks);
            BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(13), heard.MaxAge.Ticks);
        }

        message.CopyTo(state, HeaderLength);
        return state;
    }

    /// <summary>Reads a record.</summary>
    /// <returns>False for invalid bytes.</returns>
    public static bool TryRead(
        CoapRecord record, [NotNullWhen(true)] out string? name, [NotNullWhen(true)] out CoapMessage? request,
        out CoapNotificationPosition? heard)
    {
        (name, request, heard) = (null, null, null);
        ReadOnlySpan<byte> key = record.Key.Bytes.Span;
        ReadOnlySpan<byte> state = record.State.Span;
        if (key[0] >= key.Length || state.Length < HeaderLength
            || !CoapDatagramSerializer.Default.TryDeserialize(state[HeaderLength..], out request, out _))
        {
            return false;
        }

        name = Encoding.UTF8.GetString(key[(key[0] + 1)..]);
        long at = BinaryPrimitives.ReadInt64BigEndian(state[5..]);
        if ((state[0] & WasHeard) != 0 && at >= 0 && at <= DateTimeOffset.MaxValue.UtcTicks)
        {
            heard = new CoapNotificationPosition(BinaryPrimitives.ReadUInt32BigEndian(state[1..]), new DateTimeOffset(at, TimeSpan.Zero),
                TimeSpan.FromTicks(BinaryPrimitives.ReadInt64BigEndian(state[13..])));
        }

        return true;
    }
}
