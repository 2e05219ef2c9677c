namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>
/// Rules of a table of texts: "put text", "put 10 text" for ten seconds, "quick text" without waiting for the store, "remove", "read", and
/// "add text", which is put after what is there. Notes what it is told.
/// </summary>
internal sealed class NoteRules : ICoapReplicatedTableRules
{
    private readonly ConcurrentDictionary<CoapTableKey, string> _told = new();
    private readonly ConcurrentQueue<(CoapTableKey Key, string? Value, bool IsExpired)> _changes = new();
    private int _decided;

    /// <summary>What is there by what was told.</summary>
    public IReadOnlyDictionary<CoapTableKey, string> Told => _told;

    /// <summary>What was told.</summary>
    public IReadOnlyCollection<(CoapTableKey Key, string? Value, bool IsExpired)> Changes => _changes;

    /// <summary>How often it was asked.</summary>
    public int Decided => Volatile.Read(ref _decided);

    /// <summary>Runs while it is asked.</summary>
    public Action<CoapTableDecisionContext>? OnDecide { get; set; }

    /// <summary>Runs while it is told.</summary>
    public Action<CoapTableChange>? OnTold { get; set; }

    public CoapTableDecision Decide(CoapTableDecisionContext question)
    {
        Interlocked.Increment(ref _decided);
        OnDecide?.Invoke(question);
        string asked = Encoding.UTF8.GetString(question.Bytes.Span);
        string? current = question.Current is { } bytes ? Encoding.UTF8.GetString(bytes.Span) : null;
        string[] words = asked.Split(' ', 3);
        TimeSpan lifetime = words is [_, var seconds, _] && int.TryParse(seconds, out int count)
            ? FromSeconds(count)
            : Timeout.InfiniteTimeSpan;
        string text = words[^1];
        byte[] was = Encoding.UTF8.GetBytes(current ?? "nothing");
        return words[0] switch
        {
            "put" => CoapTableDecision.Put(Encoding.UTF8.GetBytes(text), lifetime, was),
            "quick" => CoapTableDecision.Put(Encoding.UTF8.GetBytes(text), lifetime, was, isDurable: false),
            "add" => CoapTableDecision.Put(Encoding.UTF8.GetBytes(current + text), lifetime, was),
            "remove" => CoapTableDecision.Remove(was),
            "read" => CoapTableDecision.Keep(was),
            "left" => CoapTableDecision.Keep(Encoding.UTF8.GetBytes($"{question.Remaining.TotalSeconds}")),
            _ => throw new InvalidOperationException($"What is {words[0]}?"),
        };
    }

    public void OnChanged(CoapTableChange change)
    {
        string? value = change.Value is { } bytes ? Encoding.UTF8.GetString(bytes.Span) : null;
        if (value is null)
        {
            _told.TryRemove(change.Key, out _);
        }
        else
        {
            _told[change.Key] = value;
        }

        _changes.Enqueue((change.Key, value, change.IsExpired));
        OnTold?.Invoke(change);
    }
}
