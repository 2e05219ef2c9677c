using System.Buffers.Text;
using System.Text;
using CoAP.NET.ResourceDirectory.Index;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>
/// The locations of registrations: the last segment is the key, a keyed hash of sector and name. A name therefore has the same location on
/// every node and forever, and clients cannot choose one.
/// </summary>
internal sealed class DirectoryLocations
{
    private const int IdLength = 16;
    private const int BitsPerCharacter = 6;
    private const int OrderBits = 64;

    private readonly byte[] _prefix;

    /// <summary>Creates the locations of a directory.</summary>
    /// <param name="path">The path of the directory, such as <c>/rd</c>.</param>
    public DirectoryLocations(string path) => _prefix = Encoding.UTF8.GetBytes(path + "/");

    /// <summary>The length of a location in bytes.</summary>
    public int Length => _prefix.Length + IdLength;

    /// <summary>Returns the key for the last segment of a location; null for an invalid one.</summary>
    public static byte[]? KeyOf(string id)
    {
        byte[] key = new byte[DirectoryIndex.KeyLength];
        return id.Length == IdLength && id.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_')
            && Base64Url.TryDecodeFromChars(id, key, out int length) && length == key.Length ? key : null;
    }

    /// <summary>Returns the last segment of the location of a key.</summary>
    public static string IdOf(ReadOnlySpan<byte> key) => Base64Url.EncodeToString(key);

    /// <summary>Returns the range of the registrations whose locations equal a path, or begin with it.</summary>
    public LocationPrefixRange RangeOf(ReadOnlySpan<byte> path, bool isPrefix)
    {
        if (isPrefix ? path.Length > Length : path.Length != Length)
        {
            return LocationPrefixRange.None;
        }

        int common = Math.Min(path.Length, _prefix.Length);
        if (!path[..common].SequenceEqual(_prefix.AsSpan(0, common)))
        {
            return LocationPrefixRange.None;
        }

        ReadOnlySpan<byte> id = path[common..];
        ulong first = 0;
        int free = OrderBits;
        foreach (byte character in id)
        {
            int value = ValueOf(character);
            if (value < 0)
            {
                return LocationPrefixRange.None;
            }

            // The rest is compared when the registration is read.
            if (free >= BitsPerCharacter)
            {
                free -= BitsPerCharacter;
                first |= (ulong)value << free;
            }
        }

        return new LocationPrefixRange(first, free == OrderBits ? ulong.MaxValue : first | ((1UL << free) - 1));
    }

    /// <summary>Writes the location of a registration.</summary>
    /// <param name="entry">The registration.</param>
    /// <param name="to">Receives <see cref="Length"/> bytes.</param>
    public void Write(in DirectoryEntry entry, Span<byte> to)
    {
        Span<byte> key = stackalloc byte[DirectoryIndex.KeyLength];
        entry.WriteKey(key);
        _prefix.CopyTo(to);
        Base64Url.EncodeToUtf8(key, to[_prefix.Length..]);
    }

    // RFC 4648 section 5.
    private static int ValueOf(byte character) => character switch
    {
        >= (byte)'A' and <= (byte)'Z' => character - 'A',
        >= (byte)'a' and <= (byte)'z' => character - 'a' + 26,
        >= (byte)'0' and <= (byte)'9' => character - '0' + 52,
        (byte)'-' => 62,
        (byte)'_' => 63,
        _ => -1,
    };
}
