namespace CoAP.NET;

/// <summary>A pending message of this endpoint to a peer, in a <see cref="CoapDiagnosticSnapshot"/>.</summary>
public sealed class CoapPendingMessageSnapshot
{
    internal CoapPendingMessageSnapshot(CoapPendingState state, CoapCode code, CoapToken token, int? messageId, int attempts,
        TimeSpan? nextAttempt)
    {
        State = state;
        Code = code;
        Token = token;
        MessageId = messageId;
        Attempts = attempts;
        NextAttempt = nextAttempt;
    }

    /// <summary>What it waits for.</summary>
    public CoapPendingState State { get; }

    /// <summary>Its code: a method for a request, 2.05 for a notification or a separate response.</summary>
    public CoapCode Code { get; }

    /// <summary>Its token.</summary>
    public CoapToken Token { get; }

    /// <summary>Its Message ID; null if it has none yet, and on connections.</summary>
    public int? MessageId { get; }

    /// <summary>The number of transmissions so far.</summary>
    public int Attempts { get; }

    /// <summary>The time until the next copy, or until it is given up; null if none is due.</summary>
    public TimeSpan? NextAttempt { get; }
}
