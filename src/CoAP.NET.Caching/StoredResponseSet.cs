namespace CoAP.NET.Caching;

/// <summary>
/// The responses of one key: the newest one, and older ones that the server may validate again. Guarded by the lock of the cache.
/// </summary>
internal sealed class StoredResponseSet
{
    /// <summary>How many responses are kept under one key. Each costs up to 9 bytes in a request that validates.</summary>
    public const int MaxResponses = 4;

    // Dictionary entries, list nodes and the key object, roughly.
    private const int Overhead = 350;

    private const long NeverFresh = long.MinValue;

    // Newest first.
    private readonly List<StoredResponse> _responses = new(1);
    private long _freshUntil = NeverFresh;

    public StoredResponseSet(CacheKey key) => Key = key;

    public CacheKey Key { get; }

    /// <summary>Its part of a share; null while it belongs to none.</summary>
    public SourceUsage<StoredResponseSet>.UsageEntry? UsageEntry { get; set; }

    public bool IsEmpty => _responses.Count == 0;

    public long Size
    {
        get
        {
            long size = Overhead + Key.Size;
            foreach (StoredResponse response in _responses)
            {
                size += response.Size;
            }

            return size;
        }
    }

    /// <summary>The newest response if it may be used without asking.</summary>
    public StoredResponse? Fresh(long now) => now < _freshUntil ? _responses[0] : null;

    /// <summary>The responses that the server may say to be valid, newest first.</summary>
    public StoredResponse[] Candidates() => [.. _responses.Where(response => response.Tag is not null)];

    /// <summary>Stores a response as the newest one.</summary>
    public void Add(StoredResponse response, long freshUntil)
    {
        // A response without validation is useless once another one is newer; two with the same tag are one representation.
        _responses.RemoveAll(stored => stored.Tag is null || stored.Tag.Equals(response.Tag));
        if (_responses.Count == MaxResponses)
        {
            _responses.RemoveAt(MaxResponses - 1);
        }

        _responses.Insert(0, response);
        _freshUntil = freshUntil;
    }

    /// <summary>Marks the newest response as stale, and removes responses that cannot be validated.</summary>
    public void MarkNotFresh()
    {
        _freshUntil = NeverFresh;
        _responses.RemoveAll(response => response.Tag is null);
    }
}
