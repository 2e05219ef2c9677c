namespace CoAP.NET;

/// <summary>What is known of a <see cref="CoapRegistration"/> at a moment. Immutable.</summary>
public sealed record CoapRegistrationStatus
{
    internal CoapRegistrationStatus()
    {
    }

    /// <summary>How far it is.</summary>
    public CoapRegistrationState State { get; internal init; }

    /// <summary>Where the directory takes registrations; null while it is not known.</summary>
    public CoapUri? Directory { get; internal init; }

    /// <summary>The location of the registration, as the directory gave it; null while there is none, or when it gave none.</summary>
    public string? Location { get; internal init; }

    /// <summary>Until when the endpoint is registered if nothing more comes; null when it is not.</summary>
    public DateTimeOffset? Until { get; internal init; }

    /// <summary>When it is refreshed, or tried again; null while it is tried and when it has ended.</summary>
    public DateTimeOffset? NextTry { get; internal init; }

    /// <summary>How many tries in a row have failed.</summary>
    public int Failures { get; internal init; }

    /// <summary>Why the last try failed; null when it did not.</summary>
    public CoapException? Error { get; internal init; }

    /// <summary>State and time for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Until is { } until ? $"{State} until {until:u}" : $"{State}";
}
