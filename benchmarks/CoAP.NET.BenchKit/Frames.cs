using System.Buffers.Binary;
using CoAP.NET.Options;

namespace CoAP.NET.Bench;

/// <summary>Messages of RFC 8323 as bytes, for load that must cost little.</summary>
internal static class Frames
{
    /// <summary>What servers answer that are measured, wherever little is to be said.</summary>
    public const string Hello = "hello world!";

    /// <summary>A CSM that allows 8 MiB and blocks.</summary>
    public static byte[] Csm { get; } = Make(CoapCode.Csm, 0,
        options => options.Add(new MaxMessageSizeOption(8 << 20)).Add(new BlockWiseTransferOption()));

    /// <summary>A request.</summary>
    /// <param name="code">The method.</param>
    /// <param name="path">The path of one segment.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="token">Its token of two bytes; 0 for none.</param>
    /// <param name="options">Adds more options.</param>
    public static byte[] Request(CoapCode code, string path, ReadOnlyMemory<byte> payload = default, ushort token = 0,
        Action<CoapOptionCollection>? options = null) =>
            Make(code, token, all =>
            {
                all.Add(new UriPathOption(path));
                options?.Invoke(all);
            }, payload);

    /// <summary>The length of the first frame in bytes (RFC 8323 section 3.2); 0 when that cannot be said yet.</summary>
    public static int Measure(ReadOnlySpan<byte> bytes, out byte code, out int tokenAt)
    {
        (code, tokenAt) = (0, 0);
        if (bytes.IsEmpty)
        {
            return 0;
        }

        int extended = (bytes[0] >> 4) switch { 13 => 1, 14 => 2, 15 => 4, _ => 0 };
        if (bytes.Length < 2 + extended)
        {
            return 0;
        }

        int length = (bytes[0] >> 4) switch
        {
            13 => bytes[1] + 13,
            14 => BinaryPrimitives.ReadUInt16BigEndian(bytes[1..]) + 269,
            15 => (int)(BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]) + 65805),
            int few => few,
        };
        code = bytes[1 + extended];
        tokenAt = 2 + extended;
        return 2 + extended + (bytes[0] & 0xf) + length;
    }

    private static byte[] Make(CoapCode code, ushort token, Action<CoapOptionCollection> options, ReadOnlyMemory<byte> payload = default)
    {
        CoapMessage message = new(code) { Payload = payload };
        if (token != 0)
        {
            message.Token = new CoapToken([(byte)(token >> 8), (byte)token]);
        }

        options(message.Options);
        return CoapStreamSerializer.Default.Serialize(message);
    }
}
