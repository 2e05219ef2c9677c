using System.Collections.Concurrent;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.Http.Translating;

/// <summary>
/// Entity-tags of HTTP servers as those of CoAP, which have 8 bytes at most: short ones as they are, others as a hash, of which the last
/// ones are kept in mind for clients that bring them back. Thread-safe.
/// </summary>
/// <param name="capacity">How many are kept.</param>
internal sealed class EntityTagMemory(int capacity = 4096)
{
    private const int MaxLength = 8;

    private readonly ConcurrentDictionary<ulong, (string Tag, CoapContentFormat? ConvertedTo)> _tags = [];
    private readonly ConcurrentQueue<ulong> _order = [];

    /// <summary>The tag of a CoAP response.</summary>
    /// <param name="tag">The tag of the HTTP server.</param>
    /// <param name="convertedTo">What the representation was converted to, which makes it another one; null for nothing.</param>
    public byte[] ToCoap(EntityTagHeaderValue tag, CoapContentFormat? convertedTo)
    {
        string opaque = tag.Tag[1..^1];
        if (convertedTo is null && opaque.Length is > 0 and <= MaxLength && opaque.All(char.IsAscii))
        {
            return Encoding.ASCII.GetBytes(opaque);
        }

        string text = convertedTo is null ? opaque : $"{opaque} {convertedTo.Value.Value}";
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes(text))[..MaxLength];

        // Not to be taken for a short one.
        hash[0] |= 0x80;
        ulong key = BitConverter.ToUInt64(hash);
        if (_tags.TryAdd(key, (tag.Tag, convertedTo)))
        {
            _order.Enqueue(key);
            if (_order.Count > capacity && _order.TryDequeue(out ulong oldest))
            {
                _tags.TryRemove(oldest, out _);
            }
        }

        return hash;
    }

    /// <summary>The tag of the HTTP server; null for one that is not known any more.</summary>
    /// <param name="tag">The tag that the client has.</param>
    /// <param name="convertedTo">What the representation was converted to.</param>
    public EntityTagHeaderValue? ToHttp(ReadOnlySpan<byte> tag, out CoapContentFormat? convertedTo)
    {
        convertedTo = null;
        if (tag.Length == MaxLength && (tag[0] & 0x80) != 0)
        {
            if (!_tags.TryGetValue(BitConverter.ToUInt64(tag), out (string Tag, CoapContentFormat? ConvertedTo) known))
            {
                return null;
            }

            convertedTo = known.ConvertedTo;
            return new EntityTagHeaderValue(known.Tag);
        }

        foreach (byte value in tag)
        {
            if (value is <= 0x20 or (byte)'"' or >= 0x7F)
            {
                return null;
            }
        }

        return tag.IsEmpty ? null : new EntityTagHeaderValue($"\"{Encoding.ASCII.GetString(tag)}\"");
    }
}
