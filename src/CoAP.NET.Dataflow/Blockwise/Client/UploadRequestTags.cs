using System.Buffers.Binary;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// Which uploads need a Request-Tag, so that a server never joins blocks of two of them (RFC 9175 section 3.4). To have none is a tag too:
/// the first operation on a resource goes without, and until it is concluded all further ones get a tag. Tags are counted and never used
/// again. Safe for several threads.
/// </summary>
internal sealed class UploadRequestTags
{
    /// <summary>How many resources are remembered. When full: every upload to others has a tag.</summary>
    internal const int Capacity = 4096;

    private readonly Lock _gate = new();
    private readonly HashSet<(ulong Peer, int Resource)> _untagged = [];
    private readonly CoapRandomSource _random;
    private uint? _next;

    public UploadRequestTags(CoapRandomSource random) => _random = random;

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

    /// <summary>Begins an operation.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="resource">See <see cref="ResourceOf"/>.</param>
    /// <param name="tag">4 bytes for the tag, if there is one.</param>
    /// <returns>Whether the operation needs the tag. If not, end it with <see cref="Conclude"/>.</returns>
    public bool Begin(ulong peer, int resource, Span<byte> tag)
    {
        lock (_gate)
        {
            if (_untagged.Count < Capacity && _untagged.Add((peer, resource)))
            {
                return false;
            }

            // A random beginning: tags of a run before this one may still lie with a server.
            uint number = _next ?? (uint)_random.NextUInt64();
            _next = unchecked(number + 1);
            BinaryPrimitives.WriteUInt32BigEndian(tag, number);
            return true;
        }
    }

    /// <summary>
    /// An operation without a tag is over: every message of it was answered. One that was aborted never is, as its blocks may still lie
    /// with the server.
    /// </summary>
    public void Conclude(ulong peer, int resource)
    {
        lock (_gate)
        {
            _untagged.Remove((peer, resource));
        }
    }
}
