using System.Buffers.Binary;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Request-Tags of an endpoint, so that a server never joins blocks of two uploads (RFC 9175 section 3.4). To have none is a tag too: the
/// first operation on a resource goes without, and until it is concluded all further ones get a tag. Tags are counted and never used again.
/// Thread-safe.
/// </summary>
internal sealed class RequestTags
{
    /// <summary>How many resources are remembered. When full: every upload to others has a tag.</summary>
    internal const int Capacity = 4096;

    private readonly Lock _gate = new();
    private readonly HashSet<(ulong Peer, int Resource)> _untagged = [];
    private readonly CoapRandomSource _random;
    private uint? _next;

    public RequestTags(CoapRandomSource random) => _random = random;

    /// <summary>How many operations without a tag are not concluded.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _untagged.Count;
            }
        }
    }

    /// <summary>
    /// Identifies the resource that a request acts on, by the options that are part of the cache key (RFC 9175 section 3.3). Two that are
    /// taken for one cost a tag and no more.
    /// </summary>
    public static int ResourceOf(CoapMessage message)
    {
        HashCode hash = default;
        if (message.OptionsToRead is { } options)
        {
            for (int i = 0; i < options.Count; i++)
            {
                int number = options.NumberAt(i);
                if (OptionNumber.IsNoCacheKey(number)
                    || number is OptionNumber.Block1 or OptionNumber.Block2 or OptionNumber.Observe or OptionNumber.IfNoneMatch)
                {
                    continue;
                }

                hash.Add(number);
                hash.AddBytes(options.ValueAt(i));
            }
        }

        return hash.ToHashCode();
    }

    /// <summary>Begins an operation: its message gets a tag, unless it has one, or may go without.</summary>
    /// <param name="peer">The hash of the peer's address.</param>
    /// <param name="message">The message.</param>
    /// <returns>The resource, if the message has no tag: end the operation by <see cref="Conclude"/>. Null otherwise.</returns>
    public int? Begin(ulong peer, CoapMessage message)
    {
        if (message.OptionsToRead?.Contains(OptionNumber.RequestTag) == true)
        {
            return null;
        }

        int resource = ResourceOf(message);
        lock (_gate)
        {
            if (_untagged.Count < Capacity && _untagged.Add((peer, resource)))
            {
                return resource;
            }
        }

        AddTo(message, Next());
        return null;
    }

    /// <summary>Returns the next tag.</summary>
    public uint Next()
    {
        lock (_gate)
        {
            // A random beginning: tags of a run before this one may still lie with a server.
            uint tag = _next ?? (uint)_random.NextUInt64();
            _next = unchecked(tag + 1);
            return tag;
        }
    }

    /// <summary>Adds a tag to a message, in 4 bytes.</summary>
    public static void AddTo(CoapMessage message, uint tag)
    {
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, tag);
        message.Options.Add(OptionNumber.RequestTag, bytes);
    }

    /// <summary>
    /// An operation is over: every message of it was answered. One that was aborted never is, as its blocks may still lie with the server.
    /// </summary>
    /// <param name="peer">The hash of the peer's address.</param>
    /// <param name="resource">The result of <see cref="Begin"/>.</param>
    public void Conclude(ulong peer, int? resource)
    {
        if (resource is { } untagged)
        {
            lock (_gate)
            {
                _untagged.Remove((peer, untagged));
            }
        }
    }
}
