namespace CoAP.NET;

/// <summary>The last drop or refusal of a peer, in a <see cref="CoapDiagnosticSnapshot"/>.</summary>
public sealed class CoapPeerLastDropSnapshot
{
    internal CoapPeerLastDropSnapshot(string reason, DateTimeOffset time, int count)
    {
        Reason = reason;
        Time = time;
        Count = count;
    }

    /// <summary>The reason: the name of the counter of the event.</summary>
    public string Reason { get; }

    /// <summary>The time of the event.</summary>
    public DateTimeOffset Time { get; }

    /// <summary>The number of all drops and refusals, for any reason.</summary>
    public int Count { get; }
}
