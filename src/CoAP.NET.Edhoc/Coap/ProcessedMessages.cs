namespace CoAP.NET.Edhoc.Coap;

/// <summary>The hashes of messages that recently ended a session: a fixed number, evicting the oldest. Thread-safe.</summary>
internal sealed class ProcessedMessages
{
    /// <summary>Maximum number of hashes.</summary>
    public const int Max = 1024;

    private readonly Lock _gate = new();
    private readonly HashSet<string> _known = new(StringComparer.Ordinal);
    private readonly Queue<string> _byAge = new();

    public bool Contains(string digest)
    {
        lock (_gate)
        {
            return _known.Contains(digest);
        }
    }

    public void Add(string digest)
    {
        lock (_gate)
        {
            if (_known.Add(digest))
            {
                _byAge.Enqueue(digest);
                if (_byAge.Count > Max)
                {
                    _known.Remove(_byAge.Dequeue());
                }
            }
        }
    }
}
