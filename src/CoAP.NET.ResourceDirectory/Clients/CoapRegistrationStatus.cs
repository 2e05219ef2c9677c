namespace CoAP.NET.ResourceDirectory;

/// <summary>The status of a <see cref="CoapRegistration"/> at one moment.</summary>
/// <remarks>Immutable.</remarks>
public sealed class CoapRegistrationStatus
{
    internal CoapRegistrationStatus()
    {
    }

    /// <summary>The state.</summary>
    public CoapRegistrationState State { get; internal init; }

    /// <summary>The URI of the directory for registrations; null while it is unknown.</summary>
    public CoapUri? Directory { get; internal init; }

    /// <summary>The URI of the registration at the directory; null if there is none, or if the directory returned none.</summary>
    public CoapUri? Location { get; internal init; }

    /// <summary>The end of the registration without a further refresh; null if the endpoint is not registered.</summary>
    public DateTimeOffset? Until { get; internal init; }

    /// <summary>The time of the next refresh or attempt; null during an attempt and after the end.</summary>
    public DateTimeOffset? NextTry { get; internal init; }

    /// <summary>The number of consecutive failed attempts.</summary>
    public int Failures { get; internal init; }

    /// <summary>The reason why the last attempt failed; null if it did not fail.</summary>
    public CoapException? Error { get; internal init; }

    /// <summary>Returns state and time, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Until is { } until ? $"{State} until {until:u}" : $"{State}";
}
