using System.Net.Http.Headers;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Execution;

namespace CoAP.NET.Http.Translating;

/// <summary>
/// Maps entity-tags of HTTP servers to those of CoAP, which have at most 8 bytes: short tags unchanged, others as a hash. It remembers the
/// latest hashes for clients that send them back. Thread-safe.
/// </summary>
internal sealed class EntityTagMap(int capacity = 4096)
{
    private const int MaxLength = 8;

    private readonly Lock _gate = new();
    private readonly LruDictionary<ulong, (string Tag, CoapContentFormat? ConvertedTo)> _tags = new(capacity);

    /// <summary>Returns the tag of a CoAP response.</summary>
    /// <param name="tag">The tag of the HTTP server.</param>
    /// <param name="convertedTo">The format that the representation was converted to, because the converted one needs another tag; null for
    /// none.</param>
    public byte[] ToCoap(EntityTagHeaderValue tag, CoapContentFormat? convertedTo)
    {
        string opaque = tag.Tag[1..^1];
        if (convertedTo is null && opaque.Length is > 0 and <= MaxLength && opaque.All(char.IsAscii))
        {
            return Encoding.ASCII.GetBytes(opaque);
        }

        string text = convertedTo is null ? opaque : $"{opaque} {convertedTo.Value.Value}";
        byte[] hash = Sha256.HashData(Encoding.UTF8.GetBytes(text))[..MaxLength];

        // Distinguishes it from a short tag.
        hash[0] |= 0x80;
        lock (_gate)
        {
            _tags.Set(BitConverter.ToUInt64(hash), (tag.Tag, convertedTo));
        }

        return hash;
    }

    /// <summary>Returns the tag of the HTTP server; null if it is unknown or forgotten.</summary>
    /// <param name="tag">The client's tag.</param>
    /// <param name="convertedTo">The format that the representation was converted to.</param>
    public EntityTagHeaderValue? ToHttp(ReadOnlySpan<byte> tag, out CoapContentFormat? convertedTo)
    {
        convertedTo = null;
        if (tag.Length == MaxLength && (tag[0] & 0x80) != 0)
        {
            lock (_gate)
            {
                if (!_tags.TryUse(BitConverter.ToUInt64(tag), out (string Tag, CoapContentFormat? ConvertedTo) known))
                {
                    return null;
                }

                convertedTo = known.ConvertedTo;
                return new EntityTagHeaderValue(known.Tag);
            }
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
