namespace CoAP.NET.Errors;

/// <summary>Describes the progress of an attempt to open a connection or a session.</summary>
/// <remarks>The exception of a request that times out while it waits for the connection contains it.</remarks>
/// <param name="stage">The stage of the attempt.</param>
/// <param name="description">
/// A description in whole sentences: what the peer was asked, what arrived, the likely cause and the remedy.
/// </param>
internal sealed class CoapConnectProgress(CoapConnectPhase stage, string description)
{
    /// <summary>The awaited step: <see cref="CoapTimeoutStep.Connect"/>, the default, or one of the handshakes.</summary>
    public CoapTimeoutStep Awaited { get; init; } = CoapTimeoutStep.Connect;

    public CoapConnectPhase Stage { get; } = stage;

    /// <summary>
    /// A human-readable description in whole sentences: what the peer was asked, what arrived, the likely cause and the remedy.
    /// </summary>
    public string Description { get; } = description ?? throw new ArgumentNullException(nameof(description));

    public override string ToString() => Description;
}
