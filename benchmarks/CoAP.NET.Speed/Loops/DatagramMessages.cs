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

    /// <summary>The Uri-Path options of a path of several segments.</summary>
    public static byte[] PathOptions(string path, int previous = 0)
    {
        const int UriPath = 11;
        string[] segments = path.Split('/');
        return [.. PathOption(segments[0], previous), .. segments[1..].SelectMany(segment => PathOption(segment, UriPath))];
    }

    /// <summary>A Proxy-Uri, as the only option of a message.</summary>
    public static byte[] ProxyOption(string uri)
    {
        const int ProxyUri = 35;
        const int Extended = 13;
        const int Longest = 255 + Extended;
        byte[] text = Encoding.UTF8.GetBytes(uri);
        return text.Length is >= Extended and <= Longest
            ? [(Extended << 4) | Extended, ProxyUri - Extended, (byte)(text.Length - Extended), .. text]
            : throw new ArgumentException($"'{uri}' has not {Extended} to {Longest} bytes.");
    }

    /// <summary>Whether options and payload end by this payload.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool EndsWith(byte* bytes, int length, byte[] payload) =>
        length > payload.Length && bytes[length - payload.Length - 1] == Marker
            && new ReadOnlySpan<byte>(bytes + length - payload.Length, payload.Length).SequenceEqual(payload);
}
