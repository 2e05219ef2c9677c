namespace CoAP.NET.Transports;

/// <summary>
/// How far an attempt to open a connection or a session has come: what a request can say whose time ends while it waits for one.
/// </summary>
/// <param name="stage">How far it is.</param>
/// <param name="description">The same as one or more whole sentences: what the peer was asked, what came, what that most likely means and
/// what to do.</param>
public sealed class CoapConnectProgress(CoapConnectStage stage, string description)
{
    /// <summary>What is waited for: <see cref="CoapAwaited.Connect"/>, the default, or one of the handshakes.</summary>
    public CoapAwaited Awaited { get; init; } = CoapAwaited.Connect;

    /// <summary>How far it is.</summary>
    public CoapConnectStage Stage { get; } = stage;

    /// <summary>
    /// The same as one or more whole sentences for people: what the peer was asked, what came, what that most likely means and what to do.
    /// </summary>
    public string Description { get; } = description;

    /// <summary><see cref="Description"/>.</summary>
    public override string ToString() => Description;
}
