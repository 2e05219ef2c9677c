using System.Runtime.CompilerServices;
using System.Text;

namespace CoAP.NET.Speed.Loops;

/// <summary>Parts of messages of RFC 7252 as bytes.</summary>
internal static unsafe class DatagramMessages
{
    private const byte Marker = 0xff;

    /// <summary>A path of one segment, as the first option of a message.</summary>
    public static byte[] PathOption(string segment, int previous = 0)
    {
        const int UriPath = 11;
        byte[] text = Encoding.UTF8.GetBytes(segment);
        return text.Length < 13
            ? [(byte)(((UriPath - previous) << 4) | text.Length), .. text]
            : throw new ArgumentException($"'{segment}' is longer than 12 bytes.");
    }

    /// <summary>Whether options and payload end by this payload.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool EndsWith(byte* bytes, int length, byte[] payload) =>
        length > payload.Length && bytes[length - payload.Length - 1] == Marker
            && new ReadOnlySpan<byte>(bytes + length - payload.Length, payload.Length).SequenceEqual(payload);
}
